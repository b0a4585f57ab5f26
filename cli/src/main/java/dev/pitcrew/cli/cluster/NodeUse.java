package dev.pitcrew.cli.cluster;

import java.util.ArrayList;
import java.util.List;

/// How much of a node's GPUs is used.
///
/// @param problem why nothing is known, or not all; empty where all is
public record NodeUse(String node, List<GpuUse> gpus, String problem) {
  static NodeUse unknown(String node, String problem) {
    return new NodeUse(node, List.of(), problem);
  }

  static NodeUse of(String node, AgentPage page) {
    var problems = new ArrayList<>(page.problems());
    if (!page.knowsHolders()) {
      problems.add("the agent does not report which pods have the GPUs");
    }
    return new NodeUse(node, page.gpus(), String.join("; ", problems));
  }
}
