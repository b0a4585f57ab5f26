package dev.pitcrew.operator.render;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.fleetpolicy.AgentFunction;
import dev.pitcrew.api.fleetpolicy.FleetPolicy;
import dev.pitcrew.api.fleetpolicy.FleetPolicySpec;
import dev.pitcrew.api.node.FleetDraSpec;
import dev.pitcrew.api.node.FleetMigSpec;
import dev.pitcrew.api.node.HealthSpec;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the operator configures agents with beside their functions.
///
/// @param handingBack functions that operands provide again, and agents only where they still do
public record AgentOrders(
    HealthSpec health,
    FleetMigSpec mig,
    FleetDraSpec dra,
    @Nullable Boolean startupTaint,
    List<AgentFunction> handingBack) {
  public static final AgentOrders NONE =
      new AgentOrders(HealthSpec.ABSENT, FleetMigSpec.ABSENT, FleetDraSpec.ABSENT, null, List.of());

  /// Those of the FleetPolicy; none where there is none that can be read: they all are opt-in.
  public static AgentOrders of(Optional<JsonNode> fleetPolicy) {
    return fleetPolicy.flatMap(AgentOrders::readable).orElse(NONE);
  }

  /// The same while functions are handed back to operands.
  public AgentOrders handingBack(List<AgentFunction> functions) {
    return new AgentOrders(health, mig, dra, startupTaint, functions);
  }

  /// Whether nodes are tainted by agents, or until they have taken the start-up taint away.
  public boolean taintNodes() {
    return health.taintFrom() != null || Boolean.TRUE.equals(startupTaint);
  }

  private static Optional<AgentOrders> readable(JsonNode fleetPolicy) {
    try {
      FleetPolicySpec spec = ApiJson.read(fleetPolicy, FleetPolicy.class).spec();
      return Optional.of(
          new AgentOrders(spec.health(), spec.mig(), spec.dra(), spec.startupTaint(), List.of()));
    } catch (UnreadableResource e) {
      return Optional.empty();
    }
  }
}
