package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;

/// What the operator's calls say about its start.
///
/// @param daemonSets when each DaemonSet that it created was there
/// @param labelled when each node was labelled first, by name
record StartCalls(List<Instant> daemonSets, Map<String, Instant> labelled) {
  private static final int CREATED = 201;
  private static final int OK = 200;

  StartCalls {
    daemonSets = daemonSets.stream().sorted().toList();
    labelled = Map.copyOf(labelled);
  }

  static StartCalls of(Collection<Request> calls) {
    return new StartCalls(
        calls.stream()
            .filter(call -> call.resource().equals("apps/daemonsets") && call.status() == CREATED)
            .map(Request::answered)
            .toList(),
        calls.stream()
            .filter(call -> call.resource().equals("nodes") && call.isMutating())
            .filter(call -> call.status() == OK)
            .collect(
                Collectors.toMap(
                    Request::name, Request::answered, BinaryOperator.minBy(Instant::compareTo))));
  }

  /// Whether `nodes` nodes are labelled and DaemonSets have ceased to appear before `moment`.
  boolean isComplete(int nodes, Instant moment) {
    return labelled.size() >= nodes
        && !daemonSets.isEmpty()
        && daemonSets.getLast().isBefore(moment);
  }

  Duration applied(Instant start) {
    return Duration.between(start, daemonSets.getLast());
  }

  Duration allLabelled(Instant start) {
    return Duration.between(
        start, labelled.values().stream().max(Instant::compareTo).orElse(start));
  }

  /// When everything was applied and labelled.
  Instant end(Instant start) {
    var applied = applied(start);
    var labels = allLabelled(start);
    return start.plus(applied.compareTo(labels) > 0 ? applied : labels);
  }
}
