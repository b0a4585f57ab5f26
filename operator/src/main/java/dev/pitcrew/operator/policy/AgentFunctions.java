package dev.pitcrew.operator.policy;

import static dev.pitcrew.api.fleetpolicy.AgentFunction.CDI;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.DEVICE_PLUGIN;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.LABELS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.METRICS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.MIG;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.NODE_STATUS;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.RUNTIME;
import static dev.pitcrew.api.fleetpolicy.AgentFunction.VALIDATION;

import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.render.FunctionsInForce;
import dev.pitcrew.operator.render.Operand;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which functions of the node agent take the place of which operand. The MPS control daemons are
/// none of them: they keep pods of their own ([dev.pitcrew.operator.operand.MpsSupervisor]). Nor is
/// the DCGM host engine, which serves more than the metrics.
public final class AgentFunctions {
  private static final Map<String, Replacement> REPLACE =
      Map.of(
          "gpu-feature-discovery", Replacement.byNode("gpu-feature-discovery", LABELS),
          "state-device-plugin", Replacement.byNode("device-plugin", DEVICE_PLUGIN),
          "state-container-toolkit", Replacement.byNode("container-toolkit", RUNTIME, CDI),
          "state-mig-manager", Replacement.byNode("mig-manager", MIG),
          "state-operator-validation", Replacement.byNode("operator-validator", VALIDATION),
          "state-node-status-exporter", Replacement.asWhole(NODE_STATUS),
          "state-dcgm-exporter", Replacement.asWhole(METRICS));

  /// The condition that says that a function does its work; the others do theirs when the driver
  /// answers.
  private static final Map<AgentFunction, NodeCondition> PROOF =
      Map.of(
          DEVICE_PLUGIN, NodeCondition.DEVICES_ADVERTISED,
          RUNTIME, NodeCondition.RUNTIME_READY,
          VALIDATION, NodeCondition.VALIDATED);

  /// What replaces an operand.
  ///
  /// @param functions all that it takes
  /// @param label by which nodes change one by one. Empty for what is found by a Service, which
  ///   selects the operand's pods or the agents': all nodes change with it.
  record Replacement(Set<AgentFunction> functions, Optional<String> label) {
    private static Replacement byNode(String deployed, AgentFunction... functions) {
      return new Replacement(Set.of(functions), Optional.of(NodeLabels.DEPLOY_PREFIX + deployed));
    }

    private static Replacement asWhole(AgentFunction function) {
      return new Replacement(Set.of(function), Optional.empty());
    }
  }

  private AgentFunctions() {}

  /// Whether the agent provides everything that the operand does.
  static boolean replace(Operand operand, FunctionsInForce agent) {
    return replacement(operand).filter(it -> agent.haveAll(it.functions())).isPresent();
  }

  /// What replaces the operand, where the agents are given it.
  static Optional<Replacement> replacement(Operand operand) {
    return Optional.ofNullable(REPLACE.get(operand.state()));
  }

  /// The operands that the agent replaces.
  static List<Operand> replaced(FunctionsInForce agent) {
    return Operands.ALL.stream().filter(operand -> replace(operand, agent)).toList();
  }

  /// The functions that do their work on a node, as its agent says. One that runs and has still to
  /// show it is none of them.
  public static Set<AgentFunction> provided(GpuNodeStatus node) {
    if (!isTrue(node, NodeCondition.DRIVER_READY)) {
      return Set.of();
    }
    Stream<AgentFunction> functions =
        EnumSet.allOf(AgentFunction.class).stream()
            .filter(function -> node.agent().functions().contains(name(function)));
    return functions
        .filter(function ->
            Optional.ofNullable(PROOF.get(function)).map(it -> isTrue(node, it)).orElse(true))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static boolean isTrue(GpuNodeStatus node, NodeCondition condition) {
    return node.condition(condition).filter(Condition::isTrue).isPresent();
  }

  private static String name(AgentFunction function) {
    return ApiJson.tree(function).asText();
  }
}
