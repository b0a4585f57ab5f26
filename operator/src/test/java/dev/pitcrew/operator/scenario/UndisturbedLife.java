package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

/// How the life of a policy goes when nobody disturbs the operator: the measure for lives that are.
///
/// @param facts at the end of each phase
/// @param points of each phase after which an operator may be killed, spelled `verb:Kind:number`
record UndisturbedLife(Map<Phase, ObjectNode> facts, Map<Phase, List<String>> points) {

  /// The measure must not be taken before a slow operator has begun.
  private static final Duration LONG_QUIET = Duration.ofSeconds(5);

  static UndisturbedLife lived(Scene scene) throws IOException, InterruptedException {
    var facts = new EnumMap<Phase, ObjectNode>(Phase.class);
    var points = new EnumMap<Phase, List<String>>(Phase.class);
    for (var phase : Phase.values()) {
      var started = Instant.now();
      if (!phase.isFoundAtStart()) {
        scene.start(Launch.PLAIN);
        scene.settle();
      }
      var before = scene.writes().since(started);
      var acted = Instant.now();
      phase.act(scene);
      if (phase.isFoundAtStart()) {
        scene.start(Launch.PLAIN);
      }
      facts.put(phase, scene.stage().settle(LONG_QUIET));
      var writes = scene.writes().since(acted);
      writes.keySet().removeAll(before.keySet());
      points.put(phase, points(writes));
      phase.end(scene);
      scene.stopOperators();
    }
    shareEdits(points);
    return new UndisturbedLife(facts, points);
  }

  /// The same write after another edit tells nothing new, so each of the two edits takes half of
  /// those that both make.
  private static void shareEdits(Map<Phase, List<String>> points) {
    var edit = new ArrayList<>(points.getOrDefault(Phase.EDIT, List.of()));
    var restore = new ArrayList<>(points.getOrDefault(Phase.RESTORE, List.of()));
    var both = edit.stream().filter(restore::contains).toList();
    for (var index = 0; index < both.size(); index++) {
      (index % 2 == 0 ? restore : edit).remove(both.get(index));
    }
    points.put(Phase.EDIT, List.copyOf(edit));
    points.put(Phase.RESTORE, List.copyOf(restore));
  }

  /// After the first of each sort, and of the sort with most to do also in the middle and at the
  /// end.
  private static List<String> points(Map<String, Integer> writes) {
    var points = new ArrayList<String>();
    writes.forEach((sort, count) -> {
      var isLarge = sort.endsWith(":DaemonSet");
      var numbers = isLarge ? IntStream.of(1, (count + 1) / 2, count) : IntStream.of(1);
      new TreeSet<>(numbers.boxed().toList()).forEach(number -> points.add(sort + ":" + number));
    });
    return points;
  }
}
