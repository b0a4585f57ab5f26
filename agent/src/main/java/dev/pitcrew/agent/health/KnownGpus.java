package dev.pitcrew.agent.health;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    Map<String, String> reasons = new HashMap<>();
    List<Gpu> missed =
        next.unreadable().stream()
            .flatMap(lost -> before(lost, next).stream().peek(gpu -> reasons.put(gpu.uuid(), lost.reason())))
            .toList();
    return new KnownGpus(
        new Inventory(
            next.driver(),
            Stream.concat(next.gpus().stream(), missed.stream())
                .sorted(Comparator.comparingInt(Gpu::index))
                .toList(),
            next.unreadable().stream().filter(lost -> before(lost, next).isEmpty()).toList(),
            next.topology()),
        reasons);
  }

  private Optional<Gpu> before(UnreadableGpu lost, Inventory next) {
    return inventory.gpus().stream()
        .filter(gpu -> gpu.index() == lost.index())
        .filter(gpu -> next.gpus().stream().noneMatch(it -> it.uuid().equals(gpu.uuid())))
        .findFirst();
  }
}
