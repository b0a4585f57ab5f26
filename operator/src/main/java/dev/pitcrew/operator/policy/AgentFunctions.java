package dev.pitcrew.operator.policy;

import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.operator.operand.Operands;
import dev.pitcrew.operator.render.FunctionsInForce;
import dev.pitcrew.operator.render.Operand;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// Which functions of the node agent take the place of which operand. The MPS control daemons are
/// none of them: they keep pods of their own ([dev.pitcrew.operator.operand.MpsSupervisor]). Nor is
/// the DCGM host engine, which serves more than the metrics.
public final class AgentFunctions {
  private static final Map<String, Set<AgentFunction>> REPLACE =
      Map.of(
          "gpu-feature-discovery", Set.of(AgentFunction.LABELS),
          "state-device-plugin", Set.of(AgentFunction.DEVICE_PLUGIN),
          "state-container-toolkit", Set.of(AgentFunction.RUNTIME, AgentFunction.CDI),
          "state-mig-manager", Set.of(AgentFunction.MIG),
          "state-operator-validation", Set.of(AgentFunction.VALIDATION),
          "state-node-status-exporter", Set.of(AgentFunction.NODE_STATUS),
          "state-dcgm-exporter", Set.of(AgentFunction.METRICS));

  private AgentFunctions() {}

  /// Whether the agent provides everything that the operand does.
  static boolean replace(Operand operand, FunctionsInForce agent) {
    Set<AgentFunction> needed = REPLACE.getOrDefault(operand.state(), Set.of());
    return !needed.isEmpty() && agent.haveAll(needed);
  }

  /// The DaemonSets of the operands that the agent replaces.
  public static Set<String> replacedDaemonSets(FunctionsInForce agent) {
    return Operands.ALL.stream()
        .filter(operand -> replace(operand, agent))
        .map(Operand::daemonSetName)
        .collect(Collectors.toUnmodifiableSet());
  }
}
