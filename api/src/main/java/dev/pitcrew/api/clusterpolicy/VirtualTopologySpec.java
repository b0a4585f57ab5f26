package dev.pitcrew.api.clusterpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The ConfigMap with the vGPU topology daemon's configuration.
public record VirtualTopologySpec(@Nullable String config, @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final VirtualTopologySpec ABSENT = Absent.of(VirtualTopologySpec.class);

  public VirtualTopologySpec {
    unknown = Absent.orUnknown(unknown);
  }

  /// The ConfigMap's name, where one is given.
  public Optional<String> reference() {
    return Optional.ofNullable(config).filter(given -> !given.isEmpty());
  }
}
