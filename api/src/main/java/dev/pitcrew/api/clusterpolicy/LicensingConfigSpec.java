package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The vGPU licence: a Secret, or a ConfigMap in the older form.
public record LicensingConfigSpec(
    @Nullable String configMapName,
    @Nullable String secretName,
    @Nullable Boolean nlsEnabled,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final LicensingConfigSpec ABSENT = Absent.of(LicensingConfigSpec.class);

  public LicensingConfigSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The Secret's name, where one is given; it wins over a ConfigMap.
  public Optional<String> secret() {
    return Optional.ofNullable(secretName).filter(given -> !given.isEmpty());
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> configMap() {
    return Optional.ofNullable(configMapName).filter(given -> !given.isEmpty());
  }

  /// Whether a licence is configured at all.
  public boolean isConfigured() {
    return secret().isPresent() || configMap().isPresent();
  }

  /// Whether the NVIDIA License System serves the licence; off unless set.
  public boolean isNlsEnabled() {
    return Boolean.TRUE.equals(nlsEnabled);
  }
}
