package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.RollOutTrace.Node;
import dev.pitcrew.testbed.bench.RollOutTrace.Step;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// What a roll-out over so many nodes has cost.
///
/// @param parallel how many nodes were let in at a time
/// @param load one-minute load average of the machine before the run
/// @param asked when the ClusterPolicy was changed
/// @param calls of the operator until the last node was done
/// @param mostCordoned how many nodes were cordoned at the same time at most
record UpgradeFigures(
    int parallel,
    double load,
    Instant asked,
    List<Node> nodes,
    List<Request> calls,
    Memory memory,
    int mostCordoned) {
  private static final String LEASES = "coordination.k8s.io/leases";
  private static final String EVENTS = "events.k8s.io/events";
  private static final String EVICTIONS = "pods/eviction";

  /// The operator's process before the roll-out, at its worst, and at rest after it.
  ///
  /// @param peakMib the largest resident set that was seen
  /// @param peakAnonymousMib the same of the part that no file backs
  record Memory(ProcessFigures before, long peakMib, long peakAnonymousMib, ProcessFigures after) {}

  UpgradeFigures {
    nodes = List.copyOf(nodes);
    calls = List.copyOf(calls);
  }

  int size() {
    return nodes.size();
  }

  Latencies overheads() {
    return latencies(Node::overhead);
  }

  Latencies underWay() {
    return latencies(Node::underWay);
  }

  /// From the change of the policy until the last node was done.
  Duration whole() {
    return Duration.between(
        asked, nodes.stream().map(Node::done).max(Comparator.naturalOrder()).orElseThrow());
  }

  /// Until the last node was marked as waiting; empty where none had to wait.
  Optional<Duration> marked() {
    return nodes.stream()
        .flatMap(node -> node.marked().stream())
        .max(Comparator.naturalOrder())
        .map(last -> Duration.between(asked, last));
  }

  /// Calls that count against the target: all but the lease, Events and evictions.
  List<Request> counted() {
    return calls.stream()
        .filter(call -> !List.of(LEASES, EVENTS, EVICTIONS).contains(call.resource()))
        .toList();
  }

  /// The waits before each kind of write, in the order in which they first come.
  Map<String, Latencies> gaps() {
    var byName = new LinkedHashMap<String, List<Duration>>();
    nodes.stream()
        .flatMap(node -> node.steps().stream())
        .forEach((Step step) ->
            byName.computeIfAbsent(step.name(), _ -> new ArrayList<>()).add(step.gap()));
    var gaps = new LinkedHashMap<String, Latencies>();
    byName.forEach((name, durations) -> gaps.put(name, new Latencies(durations)));
    return gaps;
  }

  Duration cpu() {
    return memory.after().cpu().minus(memory.before().cpu());
  }

  private Latencies latencies(Function<Node, Duration> figure) {
    return new Latencies(nodes.stream().map(figure).toList());
  }
}
