package dev.pitcrew.api.gpucluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The health endpoint of a DRA kubelet plugin, on unless disabled.
public record HealthcheckSpec(
    @Nullable Boolean enabled, @Nullable Integer port, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final HealthcheckSpec ABSENT = Absent.of(HealthcheckSpec.class);

  public HealthcheckSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether the plugin serves its health.
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }
}
