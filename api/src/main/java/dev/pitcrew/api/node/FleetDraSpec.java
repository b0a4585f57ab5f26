package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which nodes serve their GPUs by ResourceClaims (Dynamic Resource Allocation) and not as extended
/// resources.
///
/// @param nodeSelector labels that such a node has; without it no node does, and an empty one
///   selects all nodes, as label selectors of Kubernetes do
public record FleetDraSpec(
    @Nullable Map<String, String> nodeSelector, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final FleetDraSpec ABSENT = Absent.of(FleetDraSpec.class);

  public FleetDraSpec {
    nodeSelector = nodeSelector == null ? null : Map.copyOf(nodeSelector);
    unknown = Absent.orUnknown(unknown);
  }
}
