package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.Goal.Unit;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/// One measure of the agent, the figure of NVIDIA's operands, and our target.
///
/// @param reference empty where there is no figure
/// @param limit a figure up to this meets the target
record AgentGoal(
    String measure,
    Unit unit,
    String reference,
    OptionalDouble limit,
    ToDoubleFunction<AgentFigures> figure) {

  AgentGoal(String measure, Unit unit, String reference, ToDoubleFunction<AgentFigures> figure) {
    this(measure, unit, reference, OptionalDouble.empty(), figure);
  }

  AgentGoal atMost(double most) {
    return new AgentGoal(measure, unit, reference, OptionalDouble.of(most), figure);
  }

  String row(AgentFigures figures) {
    return new Figure(measure, unit, reference, limit, figure.applyAsDouble(figures)).row();
  }
}
