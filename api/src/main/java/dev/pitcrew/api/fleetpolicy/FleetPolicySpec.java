package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import dev.pitcrew.api.node.FleetDraSpec;
import dev.pitcrew.api.node.FleetMigSpec;
import dev.pitcrew.api.node.HealthSpec;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How the GPU nodes are run, beyond what a ClusterPolicy can say.
public record FleetPolicySpec(
    AgentSpec agent,
    HealthSpec health,
    RolloutSpec rollout,
    FleetMigSpec mig,
    FleetDraSpec dra,
    @Nullable Boolean startupTaint,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetPolicySpec ABSENT = Absent.of(FleetPolicySpec.class);

  public FleetPolicySpec {
    agent = Objects.requireNonNullElse(agent, AgentSpec.ABSENT);
    health = Objects.requireNonNullElse(health, HealthSpec.ABSENT);
    rollout = Objects.requireNonNullElse(rollout, RolloutSpec.ABSENT);
    mig = Objects.requireNonNullElse(mig, FleetMigSpec.ABSENT);
    dra = Objects.requireNonNullElse(dra, FleetDraSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether a new GPU node stays tainted until its GPUs can be used.
  public boolean isStartupTaintWanted() {
    return Boolean.TRUE.equals(startupTaint);
  }
}
