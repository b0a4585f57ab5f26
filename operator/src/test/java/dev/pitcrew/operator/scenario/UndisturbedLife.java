package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;

/// The life of a policy while the operator runs without a fault: the measure for lives with kills.
///
/// @param facts at the end of each phase
/// @param writes of each phase: how many of each sort
record UndisturbedLife(Map<Phase, ObjectNode> facts, Map<Phase, Map<String, Integer>> writes) {

  /// @param scene with an operator that runs behind the scene's gate
  static UndisturbedLife lived(Scene scene) throws IOException, InterruptedException {
    var facts = new EnumMap<Phase, ObjectNode>(Phase.class);
    var writes = new EnumMap<Phase, Map<String, Integer>>(Phase.class);
    for (var phase : Phase.values()) {
      scene.gate().forget();
      phase.act(scene);
      phase.awaitEnd(scene);
      facts.put(phase, scene.settle());
      writes.put(phase, scene.gate().counts());
    }
    return new UndisturbedLife(facts, writes);
  }
}
