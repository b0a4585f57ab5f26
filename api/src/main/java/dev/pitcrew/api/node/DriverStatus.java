package dev.pitcrew.api.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The driver of a node.
public record DriverStatus(
    @Nullable String version,
    @Nullable DriverOwner owner,
    @Nullable DriverPhase phase,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  /// The section where the resource has none.
  public static final DriverStatus ABSENT = Absent.of(DriverStatus.class);

  public DriverStatus {
    unknown = Absent.orUnknown(unknown);
  }
}
