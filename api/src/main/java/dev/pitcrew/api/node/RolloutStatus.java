package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Where a node is on its way to a new driver. The operator writes it.
public record RolloutStatus(
    @JsonProperty(required = true) RolloutPhase phase,
    @Nullable String since,
    @Nullable String deadline,
    @Nullable String blocker,
    @Nullable String nextAction,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The status of a node that no rollout touched.
  public static final RolloutStatus ABSENT =
      Absent.of(RolloutStatus.class, Map.of("phase", RolloutPhase.IDLE));

  public RolloutStatus {
    unknown = Absent.orUnknown(unknown);
  }
}
