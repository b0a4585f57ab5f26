package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The Service before the metrics exporter.
public record ExporterServiceSpec(
    @Nullable String type,
    @Nullable String internalTrafficPolicy,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final ExporterServiceSpec ABSENT = Absent.of(ExporterServiceSpec.class);

  public ExporterServiceSpec {
    unknown = Absent.orUnknown(unknown);
  }
}
