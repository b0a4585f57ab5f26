package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How Pitcrew runs the GPU nodes (`pitcrew.dev/v1alpha1`, cluster-scoped, named `fleet`).
public record FleetPolicy(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    FleetPolicySpec spec,
    FleetPolicyStatus status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public FleetPolicy {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    spec = Objects.requireNonNullElse(spec, FleetPolicySpec.ABSENT);
    status = Objects.requireNonNullElse(status, FleetPolicyStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
