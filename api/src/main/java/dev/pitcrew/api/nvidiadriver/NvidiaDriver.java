package dev.pitcrew.api.nvidiadriver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The driver of one pool of nodes (`nvidia.com/v1alpha1`, cluster-scoped).
public record NvidiaDriver(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    NvidiaDriverSpec spec,
    NvidiaDriverStatus status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public NvidiaDriver {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    spec = Objects.requireNonNullElse(spec, NvidiaDriverSpec.ABSENT);
    status = Objects.requireNonNullElse(status, NvidiaDriverStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
