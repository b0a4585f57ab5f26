package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The result of checking one part of a node.
///
/// @param name of the part, such as `driver`, as NVIDIA's validator names it
/// @param reason why it failed, for programs
/// @param since when it came to this state
public record ValidationCheck(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) ValidationState state,
    @Nullable String reason,
    @Nullable String message,
    @Nullable String since,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public ValidationCheck {
    unknown = Absent.orUnknown(unknown);
  }
}
