package dev.pitcrew.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many pods of a DaemonSet may be down at once: a number or a percentage, as text.
public record RollingUpdateSpec(
    @Nullable String maxUnavailable, @Unknown Map<String, JsonNode> unknown) implements Section {

  /// The section where the resource has none.
  public static final RollingUpdateSpec ABSENT = Absent.of(RollingUpdateSpec.class);

  public RollingUpdateSpec {
    unknown = Absent.orUnknown(unknown);
  }
}
