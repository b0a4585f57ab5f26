package dev.pitcrew.api.fleetpolicy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.time.DayOfWeek;

/// A day on which a maintenance window opens.
public enum WindowDay {
  @JsonProperty("Monday")
  MONDAY,
  @JsonProperty("Tuesday")
  TUESDAY,
  @JsonProperty("Wednesday")
  WEDNESDAY,
  @JsonProperty("Thursday")
  THURSDAY,
  @JsonProperty("Friday")
  FRIDAY,
  @JsonProperty("Saturday")
  SATURDAY,
  @JsonProperty("Sunday")
  SUNDAY;

  /// The day of the week.
  public DayOfWeek dayOfWeek() {
    return DayOfWeek.valueOf(name());
  }
}
