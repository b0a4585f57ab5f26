package dev.pitcrew.operator.policy;

import dev.pitcrew.operator.render.Operand;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;

/// What one operand comes to.
public sealed interface OperandPlan {
  Operand operand();

  /// It runs: these objects must exist.
  record Wanted(Operand operand, List<HasMetadata> resources, List<DaemonSet> daemonSets)
      implements OperandPlan {}

  /// It cannot run for lack of a GPU node: its DaemonSets stay as they are, whether there or not.
  record WithoutNodes(Operand operand, List<HasMetadata> resources) implements OperandPlan {}

  /// The policy does not want it: nothing of it may stay.
  record InvalidLayout(Operand operand) implements OperandPlan {}

  /// The node agent does its work: nothing of it may stay, once the agent serves each node that it
  /// serves. Until then it goes on as it is.
  ///
  /// @param resources what it needs to go on
  /// @param ofAgent by what others find the agent in its place
  /// @param agentIsAtWork whether the agent serves each of those nodes
  record Replaced(
      Operand operand,
      List<HasMetadata> resources,
      List<HasMetadata> ofAgent,
      boolean agentIsAtWork)
      implements OperandPlan {

    /// What must exist now: a Service must not leave the pods that still answer.
    List<HasMetadata> wanted() {
      return agentIsAtWork ? ofAgent : List.of();
    }
  }

  /// Another owner takes over its pods: its DaemonSets go without them, and these objects, which
  /// the pods use, stay where they exist.
  record HandedOver(Operand operand, List<HasMetadata> resources) implements OperandPlan {}

  /// Bad input: its DaemonSets stay as they are until that is corrected.
  record Blocked(Operand operand, List<HasMetadata> resources, Problem problem)
      implements OperandPlan {}
}
