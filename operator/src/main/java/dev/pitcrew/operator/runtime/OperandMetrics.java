package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.fleetpolicy.OperandState;
import dev.pitcrew.api.fleetpolicy.OperandStatus;
import dev.pitcrew.operator.metrics.ControllerMetrics;
import dev.pitcrew.operator.metrics.OperandNodes;
import java.util.List;
import java.util.Objects;

/// Shows the progress of operands as metrics; an operand that is not wanted has no series.
final class OperandMetrics {
  private final ControllerMetrics metrics;

  OperandMetrics(ControllerMetrics metrics) {
    this.metrics = metrics;
  }

  void show(List<OperandStatus> operands) {
    for (OperandStatus operand : operands) {
      if (operand.state() == OperandState.DISABLED) {
        metrics.operandRemoved(operand.name());
      } else {
        metrics.operand(operand.name(), nodes(operand));
      }
    }
  }

  private static OperandNodes nodes(OperandStatus operand) {
    return new OperandNodes(
        Objects.requireNonNullElse(operand.desired(), 0),
        Objects.requireNonNullElse(operand.ready(), 0),
        Objects.requireNonNullElse(operand.updated(), 0));
  }
}
