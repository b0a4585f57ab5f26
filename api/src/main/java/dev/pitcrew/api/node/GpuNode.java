package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The GPUs of one node (`pitcrew.dev/v1alpha1`, cluster-scoped, named as the node, status only).
public record GpuNode(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    GpuNodeStatus status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public GpuNode {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    status = Objects.requireNonNullElse(status, GpuNodeStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
