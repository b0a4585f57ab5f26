package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// Everything that was measured at one size.
///
/// @param nodes how many there were, half of them with GPUs
/// @param load one-minute load average of the machine before the run, to identify a noisy run
record SizeFigures(
    int nodes, double load, Start start, Memory memory, Minute steadyMinute, Answers answers) {

  /// From nothing to everything applied and labelled.
  ///
  /// @param applied from the start of the process until the last DaemonSet was created
  /// @param labelled until the last GPU node was
  /// @param ready until the policy said so, where pods were run
  /// @param calls until everything was applied and labelled
  /// @param callsUntilRest until nothing was left to say
  /// @param cpu of the operator until everything was applied and labelled
  record Start(
      int daemonSets,
      Duration applied,
      Duration labelled,
      Optional<Duration> ready,
      List<Request> calls,
      List<Request> callsUntilRest,
      Duration cpu) {
    Start {
      calls = List.copyOf(calls);
      callsUntilRest = List.copyOf(callsUntilRest);
    }
  }

  /// The operator's memory.
  ///
  /// @param started when everything was applied and labelled
  /// @param rested when nothing was left to do
  /// @param ended after all trials
  record Memory(ProcessFigures started, ProcessFigures rested, ProcessFigures ended) {}

  /// A minute in which every connection was cut once and a foreign label flipped.
  record Minute(List<Request> calls, Duration cpu) {
    Minute {
      calls = List.copyOf(calls);
    }
  }

  /// How it answered changes, with its calls over all trials of a kind.
  ///
  /// @param foreignFlips how many labels of other writers were changed
  /// @param ownFlips how many of its own labels were
  record Answers(
      Called<Integer> foreignFlips,
      Called<Integer> ownFlips,
      Called<Latencies> joins,
      Called<Latencies> edits) {}
}
