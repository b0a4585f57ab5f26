package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One Prometheus relabelling rule of a ServiceMonitor.
public record Relabeling(
    @Nullable String action,
    List<String> sourceLabels,
    @Nullable String separator,
    @Nullable String regex,
    @Nullable Long modulus,
    @Nullable String replacement,
    @Nullable String targetLabel,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public Relabeling {
    sourceLabels = Absent.orList(sourceLabels);
    unknown = Absent.orUnknown(unknown);
  }
}
