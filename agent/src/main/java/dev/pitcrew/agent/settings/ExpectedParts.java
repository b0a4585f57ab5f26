package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.NodeFunction.Operand;
import dev.pitcrew.agent.validation.plan.Wanted;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.Map;
import java.util.Objects;

/// What a node is to have by the policy and its own labels, whether the agent, an operand of the
/// NVIDIA GPU Operator or the host provides it.
final class ExpectedParts {
  private static final String USUAL_HANDLER = "nvidia";

  private ExpectedParts() {}

  static Wanted of(AgentPolicy policy, Map<String, String> nodeLabels) {
    return new Wanted(
        Objects.requireNonNullElse(policy.operator().runtimeClass(), USUAL_HANDLER),
        policy.toolkit().isEnabled() && isDeployed(Operand.TOOLKIT, nodeLabels),
        policy.devicePlugin().isEnabled() && isDeployed(Operand.DEVICE_PLUGIN, nodeLabels),
        policy.driver().rdma().isEnabled(),
        policy.driver().rdma().isHostMofed(),
        policy.gds().isEnabled(),
        policy.gdrcopy().isEnabled());
  }

  private static boolean isDeployed(Operand operand, Map<String, String> nodeLabels) {
    return "true".equals(nodeLabels.get(operand.label()));
  }
}
