package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.FunctionState.Off;
import dev.pitcrew.agent.settings.FunctionState.Paused;
import dev.pitcrew.agent.settings.NodeFunction.Operand;
import dev.pitcrew.api.node.AgentDocument;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Where a function runs: if the agent provides it, the policy wants the operand that it replaces,
/// and that operand's label on the node is `true`. While the operands provide it again, node by
/// node, the label says [NodeLabels#PROVIDED_BY_AGENT] where that is still to come.
final class FunctionRules {
  /// The managers of driver and MIG append their word to a value that is not theirs. Ours does so
  /// to one that turns the operand off, too, where no other label could inform the agent.
  private static final Pattern PAUSED = Pattern.compile("(?!false_).*?(paused-for-[a-z-]+).*");

  private FunctionRules() {}

  /// Why the function runs on no node of the cluster; empty where it may run.
  static Optional<String> unwanted(NodeFunction function, AgentDocument document) {
    if (!isGiven(function, document) && !document.handingBack().contains(function.value())) {
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
        .or(() ->
            Optional.of(function)
                .filter(it -> it == NodeFunction.DRA)
                .flatMap(_ -> unselected(document.dra().nodeSelector(), nodeLabels))
                .map(Off::new))
        .or(() ->
            function
                .operand()
                .map(operand -> onNode(operand, isGiven(function, document), nodeLabels)))
        .orElse(FunctionState.ON);
  }

  /// Why a selector does not select the node; empty where it does.
  private static Optional<String> unselected(
      @Nullable Map<String, String> selector, Map<String, String> nodeLabels) {
    if (selector == null) {
      return Optional.of("FleetPolicy spec.dra.nodeSelector is not set, which selects no node");
    }
    return selector.entrySet().stream()
        .filter(wanted -> !wanted.getValue().equals(nodeLabels.get(wanted.getKey())))
        .sorted(Map.Entry.comparingByKey())
        .findFirst()
        .map(wanted ->
            "FleetPolicy spec.dra.nodeSelector asks for the Node label %s=%s, which is %s"
                .formatted(
                    wanted.getKey(),
                    wanted.getValue(),
                    nodeLabels.containsKey(wanted.getKey())
                        ? "'%s'".formatted(nodeLabels.get(wanted.getKey()))
                        : "not set"));
  }

  private static boolean isGiven(NodeFunction function, AgentDocument document) {
    return document.functions().contains(function.value());
  }

  private static FunctionState onNode(
      Operand operand, boolean isGiven, Map<String, String> nodeLabels) {
    String value = nodeLabels.getOrDefault(operand.label(), "");
    if (!isGiven && !value.startsWith(NodeLabels.PROVIDED_BY_AGENT)) {
      return new Off(
          "the operand provides it again on this node: Node label %s is '%s'"
              .formatted(operand.label(), value));
    }
    if (value.equals("true") || value.equals(NodeLabels.PROVIDED_BY_AGENT)) {
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
