package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The ServiceMonitor of an operand, off unless enabled.
public record ServiceMonitorSpec(
    @Nullable Boolean enabled,
    @Nullable String interval,
    @Nullable String scrapeTimeout,
    @Nullable Boolean honorLabels,
    Map<String, String> additionalLabels,
    List<Relabeling> relabelings,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ServiceMonitorSpec ABSENT = Absent.of(ServiceMonitorSpec.class);

  public ServiceMonitorSpec {
    additionalLabels = Absent.orMap(additionalLabels);
    relabelings = Absent.orList(relabelings);
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether a ServiceMonitor is wanted.
  public boolean isEnabled() {
    return Boolean.TRUE.equals(enabled);
  }

  /// Whether labels of the scraped series win over those of the target.
  public boolean isHonoringLabels() {
    return Boolean.TRUE.equals(honorLabels);
  }
}
