package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Nodes that share memory over NVLink (`resource.nvidia.com/v1beta1`, namespaced).
public record ComputeDomain(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    ComputeDomainSpec spec,
    ComputeDomainStatus status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public ComputeDomain {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    spec = Objects.requireNonNullElse(spec, ComputeDomainSpec.ABSENT);
    status = Objects.requireNonNullElse(status, ComputeDomainStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
