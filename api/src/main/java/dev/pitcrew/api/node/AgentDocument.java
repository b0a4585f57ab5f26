package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What the operator configures for the agents, as the text under [#KEY] of the ConfigMap
/// [#CONFIG_MAP] in the operator's namespace.
///
/// @param apiVersion [#API_VERSION]; an agent leaves a document of another version alone
/// @param functions what the agents provide, by the names of FleetPolicy; one that an agent does
///   not know is no reason to ignore the others
/// @param handingBack what operands provide again: the agent goes on with it on nodes whose label
///   of the operand still says so
/// @param health what happens to a GPU that is not well
/// @param mig how the layouts of MIG change
/// @param dra which nodes serve their GPUs by ResourceClaims
/// @param startupTaint whether new nodes come with a taint that goes once their GPUs can be used
public record AgentDocument(
    @JsonProperty(required = true) String apiVersion,
    List<String> functions,
    List<String> handingBack,
    AgentPolicy clusterPolicy,
    HealthSpec health,
    FleetMigSpec mig,
    FleetDraSpec dra,
    @Nullable Boolean startupTaint,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {
  public static final String CONFIG_MAP = "pitcrew-agent";
  public static final String KEY = "agent.json";
  public static final String API_VERSION = "pitcrew.dev/v1alpha1";

  public AgentDocument {
    functions = Absent.orList(functions);
    handingBack = Absent.orList(handingBack);
    clusterPolicy = Objects.requireNonNullElse(clusterPolicy, AgentPolicy.ABSENT);
    health = Objects.requireNonNullElse(health, HealthSpec.ABSENT);
    mig = Objects.requireNonNullElse(mig, FleetMigSpec.ABSENT);
    dra = Objects.requireNonNullElse(dra, FleetDraSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether new nodes come with the start-up taint.
  public boolean hasStartupTaint() {
    return Boolean.TRUE.equals(startupTaint);
  }
}
