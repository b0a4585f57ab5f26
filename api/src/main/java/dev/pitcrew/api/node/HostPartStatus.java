package dev.pitcrew.api.node;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Who sets one part of a host up, and why.
public record HostPartStatus(
    @JsonProperty(required = true) HostOwner owner,
    @Nullable String reason,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final HostPartStatus ABSENT = Absent.of(HostPartStatus.class);

  public HostPartStatus {
    unknown = Absent.orUnknown(unknown);
  }
}
