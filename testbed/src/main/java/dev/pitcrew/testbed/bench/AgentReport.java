package dev.pitcrew.testbed.bench;

import java.time.LocalDate;
import java.util.Locale;
import java.util.stream.Collectors;

/// The results of the agent as a Markdown page.
///
/// @param image what the pods ran
record AgentReport(AgentFigures figures, Machine machine, LocalDate day, String image) {
  private static final String HEAD =
      """
      # The node agent, compared with NVIDIA's operands

      | measure | NVIDIA | target | ours | met |
      | --- | ---: | ---: | ---: | --- |
      """;

  String markdown() {
    var table =
        AgentGoals.all().stream()
            .map(goal -> goal.row(figures))
            .collect(Collectors.joining("\n", "", "\n\n"));
    return HEAD + table + conditions();
  }

  private String conditions() {
    return """
    %s; %s.
    Image `%s` as the pods of the chart's DaemonSet (limit 384 MiB, exec probes), on a real kubelet and containerd with 8 simulated H100s.
    The figures of NVIDIA's operands come from another machine and from bare processes. Their memory is that of device plugin (28 MiB) and
    feature discovery (59 MiB) alone: exporter (128 to 500 MiB), toolkit, validator, MIG and configuration managers come on top there; ours is
    one process for all functions that the chart has on. Their idle CPU and threads are those of the device plugin alone. Control plane, two nodes, operator and bench share this machine: upper bounds.
    Load average before the run: %s. Above a tenth of the cores another program ran beside it.
    Trials: %d pods deleted, %d processes killed, %d Xids, %d restarts of the kubelet, %,d + %,d Allocate calls.

    Calls of all agents in the idle minute: %s.
    """
        .formatted(
            machine.markdown(),
            day,
            image,
            String.format(Locale.ROOT, "%.1f", figures.load()),
            figures.pods().all().size(),
            figures.processes().all().size(),
            figures.faults().unhealthy().trials(),
            figures.reRegistered().trials(),
            figures.allocations().first().trials(),
            figures.allocations().later().trials(),
            figures.idle().calls().isEmpty()
                ? "none"
                : CallCounts.of(figures.idle().calls()).text());
  }
}
