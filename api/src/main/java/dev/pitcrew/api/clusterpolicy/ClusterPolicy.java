package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The cluster-wide policy of the GPU stack (`nvidia.com/v1`, cluster-scoped).
public record ClusterPolicy(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    ClusterPolicySpec spec,
    ClusterPolicyStatus status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public ClusterPolicy {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    spec = Objects.requireNonNullElse(spec, ClusterPolicySpec.ABSENT);
    status = Objects.requireNonNullElse(status, ClusterPolicyStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
