package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.ClusterReading;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.util.List;
import java.util.function.Supplier;
import picocli.CommandLine.Parameters;

/// A node to which a command may be limited.
final class NodeArgument {
  @Parameters(
      paramLabel = "<node>",
      arity = "0..1",
      defaultValue = "",
      description = "Only this node.")
  String node = "";

  /// Empty for all.
  String name() {
    String name = node.replaceFirst("^nodes?/", "");
    return name.isEmpty() ? "" : Names.require("node", name);
  }

  /// The one node, or all that have GPUs.
  Supplier<List<GpuNode>> nodes(ClusterReading cluster) {
    String name = name();
    if (name.isEmpty()) {
      return cluster.gpuNodes();
    }
    Supplier<GpuNode> one = one(cluster, name);
    return () -> List.of(one.get());
  }

  /// The exception of a node that is not there has the names of those that are.
  static Supplier<GpuNode> one(ClusterReading cluster, String name) {
    Supplier<GpuNode> node = cluster.gpuNode(name);
    return () -> {
      try {
        return node.get();
      } catch (RefusedException refused) {
        throw refused.kind() == Refusal.Kind.NOT_FOUND
            ? Names.unknown(
                "node %s with GPUs".formatted(name),
                name,
                cluster.gpuNodes().get().stream().map(GpuNode::name).toList())
            : refused;
      }
    };
  }
}
