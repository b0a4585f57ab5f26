package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ConfigMap with named device plugin configurations, and the name of the one that nodes use by
/// default.
public record DevicePluginConfigSpec(
    @Nullable String name,
    @JsonProperty("default") @Nullable String defaultName,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final DevicePluginConfigSpec ABSENT = Absent.of(DevicePluginConfigSpec.class);

  public DevicePluginConfigSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> reference() {
    return Optional.ofNullable(name).filter(given -> !given.isEmpty());
  }

  /// The name of the default configuration, empty for none.
  public String defaultNameOrEmpty() {
    return Objects.requireNonNullElse(defaultName, "");
  }
}
