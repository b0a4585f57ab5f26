package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The agent of a node.
///
/// @param pod the pod that wrote the status: what another one says is out of date
/// @param functions those that run on the node, by the names of FleetPolicy
public record AgentStatus(
    @Nullable String pod, List<String> functions, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final AgentStatus ABSENT = Absent.of(AgentStatus.class);

  public AgentStatus {
    functions = Absent.orList(functions);
    unknown = Absent.orUnknown(unknown);
  }
}
