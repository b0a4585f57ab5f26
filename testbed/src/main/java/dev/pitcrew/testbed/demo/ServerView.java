package dev.pitcrew.testbed.demo;

import java.util.List;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the cluster reports about the driver of the real node and about the pods that depend on it.
///
/// @param driverPod its name
/// @param gpuNode the version in the status of the GPUNode
/// @param label the version in the label that pods can select nodes by
/// @param metrics the version in the labels of the metrics, `-` if no agent answers
/// @param agent the agent's pod, and how often it was restarted
/// @param workload the pod that has a GPU
record ServerView(
    String driverPod, String gpuNode, String label, String metrics, String agent, String workload) {
  private static final Pattern DRIVER = Pattern.compile("DCGM_FI_DRIVER_VERSION=\"([^\"]*)\"");
  private static final String LABEL = "cuda.driver-version.full";

  static ServerView of(LiveCluster cluster, String node, String workload) {
    var facts = new NodeFacts(cluster, node);
    return new ServerView(
        DriverPod.on(node, cluster).map(DriverPod::name).orElse("-"),
        facts.gpuNode().driver(),
        facts.label(LABEL),
        metrics(cluster, node),
        agent(cluster, node),
        workload);
  }

  /// The one that all metrics have; all, were they not one.
  private static String metrics(LiveCluster cluster, String node) {
    return new AgentMetrics(cluster, node)
        .lines().stream()
            .flatMap(line -> DRIVER.matcher(line).results())
            .map((MatchResult it) -> it.group(1))
            .distinct()
            .collect(Collectors.collectingAndThen(Collectors.joining(" "), ServerView::orNone));
  }

  private static String agent(LiveCluster cluster, String node) {
    return cluster.pods().stream()
        .filter(pod -> pod.getMetadata().getName().startsWith("pitcrew-agent"))
        .filter(pod -> node.equals(pod.getSpec().getNodeName()))
        .map(pod ->
            "%s, %d restarts"
                .formatted(
                    pod.getMetadata().getName(),
                    pod.getStatus().getContainerStatuses().stream()
                        .mapToInt(it -> it.getRestartCount())
                        .sum()))
        .collect(Collectors.collectingAndThen(Collectors.joining(" "), ServerView::orNone));
  }

  private static String orNone(String text) {
    return text.isEmpty() ? "-" : text;
  }

  /// Whether everything that reports a driver reports this one.
  boolean hasDriver(String version) {
    return Stream.of(gpuNode, label, metrics).allMatch(version::equals);
  }

  /// How it was and how it is.
  static Table table(String node, ServerView before, ServerView after) {
    return Table.of(
        List.of(node, "BEFORE", "AFTER"),
        Stream.of(
            row("driver of the GPUNode", ServerView::gpuNode, before, after),
            row("nvidia.com/" + LABEL, ServerView::label, before, after),
            row("DCGM_FI_DRIVER_VERSION", ServerView::metrics, before, after),
            row("driver pod", ServerView::driverPod, before, after),
            row("agent", ServerView::agent, before, after),
            row("pod with a GPU", ServerView::workload, before, after)));
  }

  private static List<String> row(
      String name, Function<ServerView, String> fact, ServerView before, ServerView after) {
    return List.of(name, fact.apply(before), fact.apply(after));
  }
}
