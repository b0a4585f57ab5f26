package dev.pitcrew.agent.health;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The GPUs of a node with those that stopped answering: they stay offered as unhealthy, since the
/// kubelet forgets devices that are not listed.
///
/// @param inventory as it was read, with a GPU that does not answer as it was read last
/// @param unanswered why, by UUID
/// @param lost those of them that only a reset brings back
public record KnownGpus(Inventory inventory, Map<String, String> unanswered, Set<String> lost) {
  public KnownGpus {
    unanswered = Map.copyOf(unanswered);
    lost = Set.copyOf(lost);
  }

  public KnownGpus(Inventory inventory, Map<String, String> unanswered) {
    this(inventory, unanswered, Set.of());
  }

  /// What is known from the first look.
  public static KnownGpus first(Inventory inventory) {
    return new KnownGpus(inventory, Map.of());
  }

  /// What is known after the next look. A GPU that never answered stays unreadable, and one that
  /// was lost stays so until it answers.
  public KnownGpus then(Inventory next) {
    return then(next, _ -> false);
  }

  /// As [#then], by another process under the same driver: a GPU that may only be slow to answer
  /// for the first time is as it was read last.
  public KnownGpus continuedBy(Inventory next) {
    return then(next, gpu -> gpu.isPending() && !unanswered.containsKey(gpu.uuid()));
  }

  private KnownGpus then(Inventory next, Predicate<Missed> isExcused) {
    if (unanswered.isEmpty() && lost.isEmpty() && next.equals(inventory)) {
      return this;
    }
    List<Missed> missed =
        next.unreadable().stream().flatMap(silent -> missed(silent, next).stream()).toList();
    return new KnownGpus(
        new Inventory(
            next.driver(),
            Stream.concat(next.gpus().stream(), missed.stream().map(Missed::gpu))
                .sorted(Comparator.comparingInt(Gpu::index))
                .toList(),
            next.unreadable().stream().filter(silent -> missed(silent, next).isEmpty()).toList(),
            next.topology()),
        missed.stream()
            .filter(isExcused.negate())
            .collect(Collectors.toMap(Missed::uuid, Missed::reason)),
        missed.stream().filter(Missed::needsReset).map(Missed::uuid).collect(Collectors.toSet()));
  }

  /// A GPU that answered before and does not now.
  private record Missed(Gpu gpu, String reason, boolean needsReset, boolean isPending) {
    String uuid() {
      return gpu.uuid();
    }
  }

  private Optional<Missed> missed(UnreadableGpu silent, Inventory next) {
    return inventory.gpus().stream()
        .filter(gpu -> gpu.index() == silent.index())
        .filter(gpu -> next.gpus().stream().noneMatch(it -> it.uuid().equals(gpu.uuid())))
        .map(gpu ->
            new Missed(
                gpu,
                silent.reason(),
                silent.needsReset() || lost.contains(gpu.uuid()),
                silent.isPending()))
        .findFirst();
  }
}
