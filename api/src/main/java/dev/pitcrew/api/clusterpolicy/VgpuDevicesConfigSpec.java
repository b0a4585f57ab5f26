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

/// The ConfigMap with named vGPU layouts, and the layout of nodes without one.
public record VgpuDevicesConfigSpec(
    @Nullable String name,
    @JsonProperty("default") @Nullable String defaultName,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final VgpuDevicesConfigSpec ABSENT = Absent.of(VgpuDevicesConfigSpec.class);

  public VgpuDevicesConfigSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> reference() {
    return Optional.ofNullable(name).filter(given -> !given.isEmpty());
  }

  /// The layout of nodes without one.
  public String defaultNameOrDefault() {
    return Objects.requireNonNullElse(defaultName, "default");
  }
}
