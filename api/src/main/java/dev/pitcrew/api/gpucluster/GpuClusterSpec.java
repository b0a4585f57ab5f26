package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.DaemonsetsSpec;
import dev.pitcrew.api.DcgmExporterSpec;
import dev.pitcrew.api.HostPathsSpec;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;

/// What a GPUCluster asks for. Of `daemonsets` the update strategy, rolling update and pod security
/// context are accepted and ignored.
public record GpuClusterSpec(
    DaemonsetsSpec daemonsets,
    DraDriverSpec draDriver,
    ClusterDcgmSpec dcgm,
    DcgmExporterSpec dcgmExporter,
    HostPathsSpec hostPaths,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final GpuClusterSpec ABSENT = Absent.of(GpuClusterSpec.class);

  public GpuClusterSpec {
    daemonsets = Objects.requireNonNullElse(daemonsets, DaemonsetsSpec.ABSENT);
    draDriver = Objects.requireNonNullElse(draDriver, DraDriverSpec.ABSENT);
    dcgm = Objects.requireNonNullElse(dcgm, ClusterDcgmSpec.ABSENT);
    dcgmExporter = Objects.requireNonNullElse(dcgmExporter, DcgmExporterSpec.DISABLED);
    hostPaths = Objects.requireNonNullElse(hostPaths, HostPathsSpec.ABSENT);
    unknown = Absent.orUnknown(unknown);
  }
}
