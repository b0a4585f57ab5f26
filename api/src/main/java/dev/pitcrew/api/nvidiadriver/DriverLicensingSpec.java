package dev.pitcrew.api.nvidiadriver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The vGPU licence: a Secret, or a ConfigMap in the older form.
public record DriverLicensingSpec(
    @Nullable String name,
    @Nullable String secretName,
    @Nullable Boolean nlsEnabled,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final DriverLicensingSpec ABSENT = Absent.of(DriverLicensingSpec.class);

  public DriverLicensingSpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The Secret's name, where one is given; it wins over a ConfigMap.
  public Optional<String> secret() {
    return Optional.ofNullable(secretName).filter(given -> !given.isEmpty());
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> configMap() {
    return Optional.ofNullable(name).filter(given -> !given.isEmpty());
  }

  /// Whether the NVIDIA License System serves the licence; on unless disabled, unlike in a
  /// ClusterPolicy.
  public boolean isNlsEnabled() {
    return !Boolean.FALSE.equals(nlsEnabled);
  }
}
