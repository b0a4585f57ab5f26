package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.Section;
import dev.pitcrew.api.Unknown;
import java.time.Duration;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A time at which a node may be started.
public record MaintenanceWindowSpec(
    List<WindowDay> days,
    @JsonProperty(required = true) String start,
    @JsonProperty(required = true) int durationMinutes,
    @Nullable String timeZone,
    @Unknown Map<String, JsonNode> unknown)
    implements Section {

  public MaintenanceWindowSpec {
    days = Absent.orList(days);
    unknown = Absent.orUnknown(unknown);
  }

  /// The time of day at which it opens.
  public LocalTime opensAt() {
    return LocalTime.parse(start);
  }

  /// How long it stays open.
  public Duration duration() {
    return Duration.ofMinutes(durationMinutes);
  }

  /// The time zone of the start, UTC unless set.
  public String timeZoneOrDefault() {
    return Objects.requireNonNullElse(timeZone, "Etc/UTC");
  }
}
