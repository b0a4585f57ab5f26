package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Container Device Interface, on unless disabled. `default` is accepted and ignored.
public record CdiSpec(
    @Nullable Boolean enabled,
    @JsonProperty("default") @Nullable Boolean useByDefault,
    @Nullable Boolean nriPluginEnabled,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final CdiSpec ABSENT = Absent.of(CdiSpec.class);

  public CdiSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// Whether devices are given to containers by CDI.
  public boolean isEnabled() {
    return !Boolean.FALSE.equals(enabled);
  }

  /// Whether the NRI plugin injects devices.
  public boolean isNriPluginEnabled() {
    return Boolean.TRUE.equals(nriPluginEnabled);
  }
}
