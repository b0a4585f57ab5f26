package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.HostNode;
import dev.pitcrew.cli.plan.Checks.Line;
import dev.pitcrew.core.names.NodeLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/// Whether nodes are on their way to another driver while the operator is to be replaced.
final class RolloutChecks {
  private static final String DONE = "upgrade-done";
  private static final String FAILED = "upgrade-failed";

  /// What feature discovery says of the driver that is loaded.
  private static final String DRIVER = "nvidia.com/cuda.driver-version.full";

  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

  private RolloutChecks() {}

  /// @param driver the version that the policy asks for; empty where it asks for none
  static void of(Collection<HostNode> nodes, String driver, List<Line> lines) {
    int before = lines.size();
    Map<String, List<String>> byState = new TreeMap<>();
    Map<String, List<String>> byDriver = new TreeMap<>();
    var cordoned = new ArrayList<String>();
    nodes.forEach(node -> {
      String state = node.labels().getOrDefault(NodeLabels.UPGRADE_STATE, "");
      if (!state.isEmpty() && !state.equals(DONE)) {
        byState.computeIfAbsent(state, _ -> new ArrayList<>()).add(node.name());
      } else if (node.cordoned() && isOfGpus(node)) {
        cordoned.add(node.name());
      }
      String runs = node.labels().getOrDefault(DRIVER, "");
      if (!runs.isEmpty() && VERSION.matcher(driver).matches() && !runs.equals(driver)) {
        byDriver.computeIfAbsent(runs, _ -> new ArrayList<>()).add(node.name());
      }
    });
    byState.forEach((state, names) -> lines.add(state(state, names)));
    byDriver.forEach((version, names) ->
        lines.add(
            Line.warning(
                "%d nodes run driver %s, and the policy asks for %s: %s"
                    .formatted(names.size(), version, driver, Words.some(names)),
                "have them upgraded first, or they begin under Pitcrew, where upgradePolicy.autoUpgrade is true")));
    if (!cordoned.isEmpty()) {
      lines.add(
          Line.warning(
              "%d nodes with GPUs are cordoned: %s"
                  .formatted(cordoned.size(), Words.some(cordoned)),
              "they change like the others, and stay cordoned; to end it: kubectl uncordon "
                  + cordoned.getFirst()));
    }
    if (lines.size() == before) {
      lines.add(Line.good("no node is on its way to another driver, and none is cordoned"));
    }
  }

  private static Line state(String state, List<String> names) {
    String words =
        "driver roll-out: %d nodes are at %s: %s".formatted(names.size(), state, Words.some(names));
    return state.equals(FAILED)
        ? Line.warning(
            words,
            "repair them first: kubectl get pods -A -l app.kubernetes.io/component=nvidia-driver -o wide")
        : Line.blocker(
            words,
            "wait until all are at %s: kubectl get nodes -L %s"
                .formatted(DONE, NodeLabels.UPGRADE_STATE));
  }

  private static boolean isOfGpus(HostNode node) {
    return InstallChecks.GPU_LABELS.stream().anyMatch(it -> "true".equals(node.labels().get(it)));
  }
}
