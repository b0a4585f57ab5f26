package dev.pitcrew.testbed.nodes;

import java.util.List;

/// What happens to pods that are bound to simulated nodes.
public enum PodsOnNodes {
  /// Pods become Ready, pods of Jobs complete, deleted pods go.
  START,
  /// Pods stay Pending until a test writes their status itself; deleted pods go.
  STAY_PENDING;

  /// Resources with kwok's stages.
  List<String> stages() {
    return switch (this) {
      case START -> List.of("pod-starts.yaml", "pod-goes.yaml");
      case STAY_PENDING -> List.of("pod-goes.yaml");
    };
  }
}
