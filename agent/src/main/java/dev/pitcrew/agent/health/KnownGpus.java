package dev.pitcrew.agent.health;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The GPUs of a node with those that stopped to answer: they stay offered, as sick ones, for the
/// kubelet forgets about devices that are not listed.
///
/// @param inventory as it was read, and who does not answer as it was read last
/// @param unanswered why, by UUID
public record KnownGpus(Inventory inventory, Map<String, String> unanswered) {
  public KnownGpus {
    unanswered = Map.copyOf(unanswered);
  }

  /// What is known from the first look.
  public static KnownGpus first(Inventory inventory) {
    return new KnownGpus(inventory, Map.of());
  }

  /// What is known after the next look. A GPU that never answered stays unreadable.
  public KnownGpus then(Inventory next) {
    List<Missed> missed =
        next.unreadable().stream().flatMap(lost -> missed(lost, next).stream()).toList();
    return new KnownGpus(
        new Inventory(
            next.driver(),
            Stream.concat(next.gpus().stream(), missed.stream().map(Missed::gpu))
                .sorted(Comparator.comparingInt(Gpu::index))
                .toList(),
            next.unreadable().stream().filter(lost -> missed(lost, next).isEmpty()).toList(),
            next.topology()),
        missed.stream().collect(Collectors.toMap(it -> it.gpu().uuid(), Missed::reason)));
  }

  /// A GPU that answered before and does not now.
  private record Missed(Gpu gpu, String reason) {}

  private Optional<Missed> missed(UnreadableGpu lost, Inventory next) {
    return inventory.gpus().stream()
        .filter(gpu -> gpu.index() == lost.index())
        .filter(gpu -> next.gpus().stream().noneMatch(it -> it.uuid().equals(gpu.uuid())))
        .map(gpu -> new Missed(gpu, lost.reason()))
        .findFirst();
  }
}
