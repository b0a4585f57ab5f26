package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ObjectMeta;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The GPUs of a cluster served through DRA (`nvidia.com/v1alpha1`, cluster-scoped, named
/// `gpu-cluster`).
public record GpuCluster(
    @Nullable String apiVersion,
    @Nullable String kind,
    ObjectMeta metadata,
    GpuClusterSpec spec,
    GpuClusterStatus status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public GpuCluster {
    metadata = Objects.requireNonNullElse(metadata, ObjectMeta.ABSENT);
    spec = Objects.requireNonNullElse(spec, GpuClusterSpec.ABSENT);
    status = Objects.requireNonNullElse(status, GpuClusterStatus.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
