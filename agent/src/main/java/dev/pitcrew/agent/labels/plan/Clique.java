package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import java.util.List;

/// The NVLink clique to which a node's GPUs belong.
sealed interface Clique {
  record None() implements Clique {}

  /// @param value the label's: cluster and clique
  record One(String value) implements Clique {}

  record Several() implements Clique {}

  static Clique of(List<Gpu> gpus) {
    List<String> cliques =
        gpus.stream()
            .map(Gpu::fabric)
            .filter(Fabric.Attached.class::isInstance)
            .map(Fabric.Attached.class::cast)
            .map(Fabric.Attached::id)
            .distinct()
            .toList();
    return switch (cliques.size()) {
      case 0 -> new None();
      case 1 -> new One(cliques.getFirst());
      default -> new Several();
    };
  }
}
