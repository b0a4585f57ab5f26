package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A group of nodes in the order of a rollout.
public record WaveSpec(
    @JsonProperty(required = true) String name,
    Map<String, String> nodeSelector,
    @Nullable Integer soakSeconds,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public WaveSpec {
    nodeSelector = Absent.orMap(nodeSelector);
    unknown = Absent.orUnknown(unknown);
  }

  /// How long its nodes must stay healthy before the next wave starts, no time unless set.
  public Duration soak() {
    return Duration.ofSeconds(Objects.requireNonNullElse(soakSeconds, 0));
  }
}
