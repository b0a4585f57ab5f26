package dev.pitcrew.operator.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.fleetpolicy.AgentSpec;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.operator.operand.Agent;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetStatus;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Whether the node agent runs and what it provides. The answer is kept on the agent's DaemonSet: a
/// FleetPolicy that is missing or cannot be read must not turn every node of a cluster around.
public final class AgentInForce {
  private AgentInForce() {}

  /// The agent as the FleetPolicy has it, else as it runs, else off.
  ///
  /// @param running the agent's DaemonSet
  public static AgentSpec of(Optional<JsonNode> fleetPolicy, Optional<DaemonSet> running) {
    return fleetPolicy
        .flatMap(AgentInForce::readable)
        .or(() -> running.flatMap(AgentInForce::recorded))
        .orElse(AgentSpec.ABSENT);
  }

  /// Whether the agent runs on some node at least, or there is none for it. Were a device plugin to
  /// go while the agent cannot come, because its image cannot be pulled or the API server refuses
  /// it, every node would lose its GPUs.
  public static boolean isAtWork(DaemonSet agent) {
    DaemonSetStatus status = agent.getStatus();
    return status != null
        && Objects.equals(status.getObservedGeneration(), agent.getMetadata().getGeneration())
        && (number(status.getNumberReady()) > 0 || number(status.getDesiredNumberScheduled()) == 0);
  }

  private static int number(@Nullable Integer count) {
    return Objects.requireNonNullElse(count, 0);
  }

  private static Optional<AgentSpec> readable(JsonNode fleetPolicy) {
    try {
      return Optional.of(ApiJson.read(fleetPolicy, FleetPolicy.class).spec().agent());
    } catch (UnreadableResource e) {
      return Optional.empty();
    }
  }

  private static Optional<AgentSpec> recorded(DaemonSet running) {
    return Optional.ofNullable(running.getMetadata().getAnnotations().get(Agent.MODE))
        .map(mode -> ApiJson.read(mode, AgentSpec.class));
  }
}
