package dev.pitcrew.cli.command;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.core.names.NodeLabels;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `rollout retry` and `rollout skip`: a mark on one Node.
abstract class RolloutNodeCommand extends WritingCommand {
  @Parameters(paramLabel = "<node>", description = "Name of the node.")
  String node = "";

  RolloutNodeCommand(Session session) {
    super(session);
  }

  final GpuNode gpuNode() {
    return NodeArgument.one(cluster(), name()).get();
  }

  final String name() {
    return Names.require("node", node.replaceFirst("^nodes?/", ""));
  }

  /// @param kind `labels` or `annotations`
  final int mark(String kind, String key, String effect, String back) {
    return write(
        "nodes/" + name(),
        "{\"metadata\":{\"%s\":{\"%s\":\"true\"}}}".formatted(kind, key),
        "Node %s: %s %s=true".formatted(name(), kind.replaceFirst("s$", ""), key),
        effect,
        back);
  }

  @Command(
      name = "retry",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Upgrades a node once more that has failed, with a new driver pod.",
        "Annotates the Node with " + NodeLabels.UPGRADE_REQUESTED + "=true."
      },
      footer = {"", "Examples:", "  kubectl gpu rollout retry gpu-7"})
  static final class Retry extends RolloutNodeCommand {
    Retry(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      GpuNode found = gpuNode();
      if (!found.rollout().isFailed()) {
        throw Names.wrong(
            "node %s has not failed, its roll-out is at %s: only a node that failed is tried again. To replace its driver all the same, which evicts its pods with GPUs: kubectl annotate node %s %s=true"
                .formatted(
                    found.name(),
                    found.rollout().phase(),
                    found.name(),
                    NodeLabels.UPGRADE_REQUESTED));
      }
      String why = found.rollout().blocker();
      return mark(
          "annotations",
          NodeLabels.UPGRADE_REQUESTED,
          "It is tried once more when it may begin%s. To follow it: kubectl gpu rollout status -w"
              .formatted(why.isEmpty() ? "" : "; it had failed: " + why),
          "kubectl annotate node %s %s- (while it has not begun)"
              .formatted(found.name(), NodeLabels.UPGRADE_REQUESTED));
    }
  }

  @Command(
      name = "skip",
      versionProvider = GpuCommand.Build.class,
      description = {
        "Leaves a node out: it does not begin, and no canary or wave waits for it.",
        "Labels the Node with " + NodeLabels.UPGRADE_SKIP + "=true."
      },
      footer = {"", "Examples:", "  kubectl gpu rollout skip gpu-7"})
  static final class Skip extends RolloutNodeCommand {
    Skip(Session session) {
      super(session);
    }

    @Override
    public Integer call() {
      GpuNode found = gpuNode();
      Json labels =
          cluster().object("/api/v1/nodes/" + found.name()).get().at("metadata", "labels");
      String back = "kubectl label node %s %s-".formatted(found.name(), NodeLabels.UPGRADE_SKIP);
      if (labels.at(NodeLabels.UPGRADE_SKIP).text().equals("true")) {
        return already(
            "Node %s is left out already. To take it back: %s.".formatted(found.name(), back));
      }
      return mark("labels", NodeLabels.UPGRADE_SKIP, effect(found), back);
    }

    private static String effect(GpuNode node) {
      return node.rollout().isUnderWay()
          ? "It is under way (%s) and is finished; after that it begins no more."
              .formatted(node.rollout().phase())
          : "It does not begin, and no canary or wave waits for it. While it is out of service it still counts in maxUnavailable.";
    }
  }
}
