package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.NodeSelection;
import dev.pitcrew.cli.cluster.OperatorDeployment;
import dev.pitcrew.cli.cluster.TakeoverReading.Workloads;
import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.core.names.NodeLabels;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Workloads that choose nodes by labels which a take-over changes.
final class SelectionChecks {
  /// Those that the agent writes where node feature discovery is gone: docs/agent-rights.md.
  private static final Pattern OF_AGENT =
      Pattern.compile(
          "pci-.*\\.present|pci-.*\\.sriov\\.capable|kernel-version\\..*|system-os_release\\..*|cpu-model\\.vendor_id");

  private SelectionChecks() {}

  static void of(OperatorDeployment operator, Workloads workloads, List<Line> lines) {
    String own = operator.namespace() + "/" + operator.release();
    if (workloads.discovery().contains(own)) {
      List<String> found = matching(workloads, SelectionChecks::isLost);
      lines.add(
          found.isEmpty()
              ? Line.good(
                  "node feature discovery came with the chart and is removed; the agent writes the labels that are in use")
              : Line.warning(
                      "node feature discovery came with the chart and is removed, and workloads use its labels, which nothing keeps up to date then",
                      "install node feature discovery from its own chart before step 1")
                  .with(found));
    } else if (!workloads.discovery().isEmpty()) {
      lines.add(Line.good("node feature discovery is of its own chart, and stays"));
    }
    List<String> deployed = matching(workloads, it -> it.startsWith(NodeLabels.DEPLOY_PREFIX));
    if (!deployed.isEmpty()) {
      lines.add(
          Line.warning(
                  "workloads choose nodes by labels that change from true to %s in step 2"
                      .formatted(NodeLabels.PROVIDED_BY_AGENT),
                  "have them choose by %s=true".formatted(NodeLabels.GPU_PRESENT))
              .with(deployed));
    }
  }

  private static boolean isLost(String label) {
    return label.startsWith(NodeLabels.FEATURE_PREFIX)
        && !OF_AGENT.matcher(label.substring(NodeLabels.FEATURE_PREFIX.length())).matches();
  }

  private static List<String> matching(Workloads workloads, Predicate<String> label) {
    return workloads.selections().stream()
        .filter(it -> it.labels().stream().anyMatch(label))
        .map(it -> words(it, label))
        .toList();
  }

  private static String words(NodeSelection selection, Predicate<String> label) {
    return selection.workload()
        + ": "
        + String.join(", ", selection.labels().stream().filter(label).toList());
  }
}
