package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The agent's image; each absent part is that of the operator's own image.
public record AgentImageSpec(
    @Nullable String repository,
    @Nullable String image,
    @Nullable String version,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final AgentImageSpec ABSENT = Absent.of(AgentImageSpec.class);

  public AgentImageSpec {
    unknown = Absent.orUnknown(unknown);
  }
}
