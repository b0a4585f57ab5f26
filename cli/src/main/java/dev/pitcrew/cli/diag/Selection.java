package dev.pitcrew.cli.diag;

import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.transport.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Of which nodes a bundle has details: so many that each reason is among them, and so few that a
/// cluster of any size is asked a bounded number of questions.
///
/// @param nodes their names, those that are not ready first
/// @param leftOut in words, empty where nothing is
record Selection(Set<String> nodes, List<String> leftOut) {
  static final int MOST_NOT_READY = 20;
  static final int MOST_READY = 3;

  /// How many logs are read: containers of all pods, current and previous.
  static final int MOST_LOGS = 400;

  private static final String OPERATOR = "gpu-operator";
  private static final String AGENT = "pitcrew-agent";

  /// One log of a container.
  ///
  /// @param node empty for a pod that is on none
  record Log(String namespace, String pod, String container, String node, boolean previous) {
    String title() {
      return "the %slog of container %s of pod %s/%s"
          .formatted(previous ? "previous " : "", container, namespace, pod);
    }

    /// Of the API, with a query that has its first parameter.
    String path() {
      return "%s/log?container=%s%s"
          .formatted(Selection.path(namespace, pod), container, previous ? "&previous=true" : "");
    }

    String file() {
      return "%s/logs/%s/%s%s.log"
          .formatted(folder(node, pod), safe(pod), safe(container), previous ? ".previous" : "");
    }
  }

  /// A page of metrics of a pod.
  record Metrics(String namespace, String pod, String node, long port) {}

  /// @param wanted names that the user has given; empty for a choice
  static Selection of(Collection<GpuNode> nodes, Collection<String> wanted) {
    if (!wanted.isEmpty()) {
      return new Selection(new LinkedHashSet<>(wanted), List.of());
    }
    List<String> bad = byTurns(nodes.stream().filter(node -> !node.isReady()).toList());
    List<String> good =
        nodes.stream().filter(GpuNode::isReady).map(GpuNode::name).sorted().toList();
    var chosen = new LinkedHashSet<String>();
    Stream.concat(bad.stream().limit(MOST_NOT_READY), good.stream().limit(MOST_READY))
        .forEach(chosen::add);
    var leftOut = new ArrayList<String>();
    leftOut(leftOut, "not ready", bad.size(), MOST_NOT_READY);
    leftOut(leftOut, "ready", good.size(), MOST_READY);
    return new Selection(chosen, List.copyOf(leftOut));
  }

  /// One of each reason, then a second of each, and so on.
  private static List<String> byTurns(List<GpuNode> nodes) {
    Map<String, List<GpuNode>> byReason =
        nodes.stream()
            .sorted(Comparator.comparing(GpuNode::name))
            .collect(Collectors.groupingBy(GpuNode::reason, TreeMap::new, Collectors.toList()));
    int most = byReason.values().stream().mapToInt(List::size).max().orElse(0);
    var names = new ArrayList<String>();
    for (int turn = 0; turn < most; turn++) {
      for (List<GpuNode> group : byReason.values()) {
        group.stream().skip(turn).limit(1).map(GpuNode::name).forEach(names::add);
      }
    }
    return names;
  }

  private static void leftOut(List<String> leftOut, String state, int all, int most) {
    if (all > most) {
      leftOut.add(
          "details of %d of %d nodes that are %s: kubectl gpu diag --node NAME collects those of a node"
              .formatted(all - most, all, state));
    }
  }

  /// Whether a pod of the operator's namespace is collected: each but those of DaemonSets on other
  /// nodes.
  boolean hasPod(Json pod) {
    boolean isOfDaemonSet =
        pod.at("metadata", "ownerReferences").items().stream()
            .anyMatch(it -> it.at("kind").text().equals("DaemonSet"));
    return !isOfDaemonSet || nodes.contains(pod.at("spec", "nodeName").text());
  }

  /// The logs of pods, most useful first: of the operator, of agents, of pods that are not ready;
  /// previous ones after those.
  static List<Log> logs(Collection<Json> pods) {
    return pods.stream()
        .sorted(Comparator.comparingInt(Selection::rank))
        .flatMap(pod -> logs(pod))
        .sorted(Comparator.comparing(Log::previous))
        .toList();
  }

  private static int rank(Json pod) {
    if (isApp(pod, OPERATOR)) {
      return 0;
    }
    if (isApp(pod, AGENT)) {
      return 1;
    }
    boolean isReady =
        pod.at("status", "conditions").items().stream()
            .anyMatch(it ->
                it.at("type").text().equals("Ready") && it.at("status").text().equals("True"));
    return isReady ? 3 : 2;
  }

  private static boolean isApp(Json pod, String app) {
    return pod.at("metadata", "labels", "app").text().equals(app);
  }

  private static Stream<Log> logs(Json pod) {
    return Stream.of("initContainerStatuses", "containerStatuses")
        .flatMap(it -> pod.at("status", it).items().stream())
        .flatMap(status -> {
          Function<Boolean, Log> log =
              previous ->
                  new Log(
                      pod.at("metadata", "namespace").text(),
                      pod.at("metadata", "name").text(),
                      status.at("name").text(),
                      pod.at("spec", "nodeName").text(),
                      previous);
          boolean hasRun =
              !status.at("state", "running").isEmpty()
                  || !status.at("state", "terminated").isEmpty();
          boolean hadRun = !status.at("lastState", "terminated").isEmpty();
          return Stream.concat(
              hasRun ? Stream.of(log.apply(false)) : Stream.empty(),
              hadRun ? Stream.of(log.apply(true)) : Stream.empty());
        });
  }

  /// By the names that chart and operands give their ports.
  static List<Metrics> metrics(Collection<Json> pods) {
    return pods.stream()
        .filter(pod -> pod.at("status", "phase").text().equals("Running"))
        .flatMap(pod ->
            pod.at("spec", "containers").items().stream()
                .flatMap(it -> it.at("ports").items().stream())
                .filter(it -> Set.of("metrics", "node-status").contains(it.at("name").text()))
                .map(it ->
                    new Metrics(
                        pod.at("metadata", "namespace").text(),
                        pod.at("metadata", "name").text(),
                        pod.at("spec", "nodeName").text(),
                        it.at("containerPort").number())))
        .toList();
  }

  /// Agents that can be asked what they see.
  static List<Json> agents(Collection<Json> pods) {
    return pods.stream()
        .filter(pod -> isApp(pod, AGENT) && pod.at("status", "phase").text().equals("Running"))
        .toList();
  }

  /// Of a pod, of the API.
  static String path(String namespace, String name) {
    return "/api/v1/namespaces/%s/pods/%s".formatted(namespace, name);
  }

  /// A pod that is on no node has no folder of one.
  static String folder(String node, String pod) {
    return node.isEmpty() ? "pods/" + safe(pod) : "nodes/" + safe(node);
  }

  /// A name as part of a path of any file system.
  static String safe(String name) {
    String safe = name.replaceAll("[^A-Za-z0-9._-]", "_");
    return safe.matches("\\.*") ? "_" + safe : safe;
  }
}
