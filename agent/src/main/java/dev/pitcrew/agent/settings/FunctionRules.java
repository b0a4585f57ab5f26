package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.FunctionState.Off;
import dev.pitcrew.agent.settings.FunctionState.Paused;
import dev.pitcrew.agent.settings.NodeFunction.Operand;
import dev.pitcrew.api.node.AgentDocument;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Where a function runs: if the agent provides it, the policy wants the operand that it replaces,
/// and that operand's label on the node is `true`.
final class FunctionRules {
  /// The managers of driver and MIG append their word to a value that is not theirs. Ours does so
  /// to one that turns the operand off, too, where no other label could tell the agent.
  private static final Pattern PAUSED = Pattern.compile("(?!false_).*?(paused-for-[a-z-]+).*");

  private FunctionRules() {}

  /// Why the function runs on no node of the cluster; empty where it may run.
  static Optional<String> unwanted(NodeFunction function, AgentDocument document) {
    if (!document.functions().contains(function.value())) {
      return Optional.of("FleetPolicy spec.agent.functions does not name " + function.value());
    }
    return function
        .operand()
        .flatMap(operand -> operand.switchedOffBy(document.clusterPolicy()))
        .map(field -> "ClusterPolicy %s is false".formatted(field));
  }

  static FunctionState state(
      NodeFunction function, AgentDocument document, Map<String, String> nodeLabels) {
    Optional<FunctionState> unwanted = unwanted(function, document).map(Off::new);
    return unwanted
        .or(() -> function.operand().map(operand -> onNode(operand, nodeLabels)))
        .orElse(FunctionState.ON);
  }

  private static FunctionState onNode(Operand operand, Map<String, String> nodeLabels) {
    String value = nodeLabels.getOrDefault(operand.label(), "");
    if (value.equals("true")) {
      return FunctionState.ON;
    }
    Matcher paused = PAUSED.matcher(value);
    if (paused.matches()) {
      return new Paused(paused.group(1));
    }
    return new Off(
        value.isEmpty()
            ? "Node label %s is not set".formatted(operand.label())
            : "Node label %s is '%s', not true".formatted(operand.label(), value));
  }
}
