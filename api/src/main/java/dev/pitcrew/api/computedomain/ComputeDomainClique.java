package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The daemons of one NVLink clique of a domain (`resource.nvidia.com/v1beta1`, namespaced, without
/// spec).
public record ComputeDomainClique(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    List<CliqueDaemon> daemons,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public ComputeDomainClique {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    daemons = Absent.orList(daemons);
    unknown = Absent.orUnknown(unknown);
  }
}
