package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a GPUCluster has come to.
public record GpuClusterStatus(
    @Nullable String namespace,
    @Nullable String state,
    List<Condition> conditions,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final GpuClusterStatus ABSENT = Absent.of(GpuClusterStatus.class);

  public GpuClusterStatus {
    conditions = Absent.orList(conditions);
    unknown = Absent.orUnknown(unknown);
  }
}
