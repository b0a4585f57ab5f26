package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Job labels of a batch system on GPU metrics.
public record HpcJobMappingSpec(
    @Nullable Boolean enabled, @Nullable String directory, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final HpcJobMappingSpec ABSENT = Absent.of(HpcJobMappingSpec.class);

  public HpcJobMappingSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether job labels are wanted.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// The host directory of the mapping files, `/var/lib/dcgm-exporter/job-mapping` unless set.
  public String directoryOrDefault() {
    return directory == null || directory.isEmpty()
        ? "/var/lib/dcgm-exporter/job-mapping"
        : directory;
  }
}
