package dev.pitcrew.testbed.bench;

import java.util.Optional;

/// One line of the table.
///
/// @param reference the NVIDIA GPU Operator's figure, where there is one
/// @param isMet empty where no target was set
record Row(
    String measure,
    int nodes,
    String reference,
    String target,
    String ours,
    Optional<Boolean> isMet) {
  String markdown() {
    return "| %s | %,d | %s | %s | %s | %s |"
        .formatted(measure, nodes, reference, target, ours, verdict());
  }

  private String verdict() {
    return isMet.map(met -> met ? "yes" : "**no**").orElse("");
  }
}
