package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.trouble.HeldWrite;
import dev.pitcrew.testbed.trouble.WriteGate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/// The death of an operator while writes of it are in flight.
record Kill(List<Target> targets) {

  /// A write that is in flight at the kill.
  ///
  /// @param number counts the writes of its sort in the phase
  /// @param lands whether the API server carries it out after the kill
  record Target(String sort, int number, boolean lands) {}

  /// A target that the gate holds as soon as it comes.
  record InFlight(HeldWrite write, boolean lands) {
    void awaitHeld(Duration limit) throws InterruptedException {
      write.awaitHeld(limit);
    }

    void decide() {
      if (lands) {
        write.allow();
      } else {
        write.deny();
      }
    }

    @Override
    public String toString() {
      return write + (lands ? " landed" : " lost");
    }
  }

  /// Every sort of a phase once, all in one chain. Every second write lands; where there is only
  /// one sort, it is lost and then lands. What the first edit has shown, the second one does not
  /// repeat.
  static List<List<Kill>> once(Phase phase) {
    if (phase.sorts().size() == 1) {
      var sort = phase.sorts().getFirst();
      return List.of(List.of(alone(sort, 1, false), alone(sort, 1, true)));
    }
    var kills = new ArrayList<Kill>();
    var count = 0;
    for (var wave : phase.waves()) {
      var targets = new ArrayList<Target>();
      for (var sort : wave) {
        if (phase != Phase.RESTORE || !Phase.EDIT.sorts().contains(sort)) {
          targets.add(new Target(sort, 1, count++ % 2 == 0));
        }
      }
      if (!targets.isEmpty()) {
        kills.add(new Kill(targets));
      }
    }
    return List.of(kills);
  }

  /// Every sort alone, to land and to be lost, and DaemonSets also in the middle and at the end.
  static List<List<Kill>> full(Phase phase, UndisturbedLife life) {
    var chains = new ArrayList<List<Kill>>();
    for (var sort : phase.sorts()) {
      for (var number : numbers(sort, Objects.requireNonNull(life.writes().get(phase)))) {
        for (var lands : List.of(true, false)) {
          chains.add(List.of(alone(sort, number, lands)));
        }
      }
    }
    return chains;
  }

  private static Kill alone(String sort, int number, boolean lands) {
    return new Kill(List.of(new Target(sort, number, lands)));
  }

  private static Iterable<Integer> numbers(String sort, Map<String, Integer> writes) {
    var last = writes.getOrDefault(sort, 1);
    return sort.endsWith(" DaemonSet")
        ? new TreeSet<>(List.of(1, (last + 1) / 2, last))
        : List.of(1);
  }

  List<InFlight> hold(WriteGate gate) {
    return targets.stream()
        .map(it -> new InFlight(gate.hold(it.sort(), it.number()), it.lands()))
        .toList();
  }
}
