package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// What the operator tells the agents, as the text under [#KEY] of the ConfigMap [#CONFIG_MAP] in
/// the operator's namespace.
///
/// @param apiVersion [#API_VERSION]; an agent leaves a document of another version alone
/// @param functions what the agents provide, by the names of FleetPolicy; one that an agent does
///   not know is no reason to ignore the others
public record AgentDocument(
    @JsonProperty(required = true) String apiVersion,
    List<String> functions,
    AgentPolicy clusterPolicy,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {
  public static final String CONFIG_MAP = "pitcrew-agent";
  public static final String KEY = "agent.json";
  public static final String API_VERSION = "pitcrew.dev/v1alpha1";

  public AgentDocument {
    functions = Absent.orList(functions);
    clusterPolicy = Objects.requireNonNullElse(clusterPolicy, AgentPolicy.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
