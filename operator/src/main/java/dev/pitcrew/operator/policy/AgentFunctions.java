package dev.pitcrew.operator.policy;

import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.operator.render.Operand;
import java.util.Map;
import java.util.Set;

/// Which functions of the node agent take the place of which operand.
final class AgentFunctions {
  private static final Map<String, Set<AgentFunction>> REPLACE =
      Map.of(
          "gpu-feature-discovery", Set.of(AgentFunction.LABELS),
          "state-device-plugin", Set.of(AgentFunction.DEVICE_PLUGIN),
          "state-mps-control-daemon", Set.of(AgentFunction.MPS),
          "state-container-toolkit", Set.of(AgentFunction.RUNTIME, AgentFunction.CDI),
          "state-mig-manager", Set.of(AgentFunction.MIG),
          "state-operator-validation", Set.of(AgentFunction.VALIDATION),
          "state-node-status-exporter", Set.of(AgentFunction.NODE_STATUS),
          "state-dcgm", Set.of(AgentFunction.METRICS),
          "state-dcgm-exporter", Set.of(AgentFunction.METRICS));

  private AgentFunctions() {}

  /// Whether the agent provides everything that the operand does.
  static boolean replace(Operand operand, AgentSpec agent) {
    Set<AgentFunction> needed = REPLACE.getOrDefault(operand.state(), Set.of());
    return !needed.isEmpty() && needed.stream().allMatch(agent::provides);
  }
}
