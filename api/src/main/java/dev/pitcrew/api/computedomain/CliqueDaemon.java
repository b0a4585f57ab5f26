package dev.pitcrew.api.computedomain;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The daemon of a domain on one node.
public record CliqueDaemon(
    @JsonProperty(required = true) String nodeName,
    @JsonProperty(required = true) String ipAddress,
    @JsonProperty(required = true) String cliqueID,
    @Nullable Long index,
    @Nullable String status,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public CliqueDaemon {
    unknown = Absent.orUnknown(unknown);
  }
}
