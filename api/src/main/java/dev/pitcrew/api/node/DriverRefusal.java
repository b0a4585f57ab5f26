package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;

/// Why the host's own driver, on which a node runs, is not the one that is wanted. The operator
/// writes it.
///
/// @param reason in CamelCase
/// @param message for people, with the remedy
/// @param wantedBy the resource that wants another, such as `NVIDIADriver training`
public record DriverRefusal(
    @JsonProperty(required = true) String reason,
    @JsonProperty(required = true) String message,
    @JsonProperty(required = true) String wantedBy,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// Nothing is refused.
  public static final DriverRefusal ABSENT =
      Absent.of(DriverRefusal.class, Map.of("reason", "", "message", "", "wantedBy", ""));

  public DriverRefusal {
    unknown = Absent.orUnknown(unknown);
  }
}
