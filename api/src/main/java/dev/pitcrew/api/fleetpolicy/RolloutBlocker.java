package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import dev.pitcrew.api.node.RolloutPhase;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A node that failed or is under way.
///
/// @param blocker what it waits for, or why it failed
public record RolloutBlocker(
    @JsonProperty(required = true) String node,
    @JsonProperty(required = true) RolloutPhase phase,
    @Nullable String blocker,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public RolloutBlocker {
    unknown = Absent.orUnknown(unknown);
  }
}
