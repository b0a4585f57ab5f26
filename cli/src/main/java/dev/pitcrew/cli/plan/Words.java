package dev.pitcrew.cli.plan;

import dev.pitcrew.core.requests.GpuDemand;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/// Numbers, times and lists in words.
public final class Words {
  private static final int MOST = 3;
  private static final long SECONDS_SHOWN = 120;
  private static final long MINUTES_SHOWN = 120;
  private static final long HOURS_SHOWN = 48;

  private Words() {}

  /// Such as `4 × nvidia.com/gpu`.
  public static String asks(GpuDemand demand) {
    return demand.isEmpty()
        ? "GPUs by ResourceClaims"
        : demand.asks().entrySet().stream()
            .map(it -> it.getValue().count() + " × " + it.getKey())
            .collect(Collectors.joining(", "));
  }

  /// As kubectl has it, such as `18m`; empty where the time cannot be read.
  public static String age(String since, Instant now) {
    try {
      return time(Duration.between(Instant.parse(since), now));
    } catch (DateTimeException _) {
      return "";
    }
  }

  /// As kubectl has it, such as `18m`.
  public static String time(Duration age) {
    if (age.isNegative() || age.toSeconds() < SECONDS_SHOWN) {
      return Math.max(0, age.toSeconds()) + "s";
    }
    if (age.toMinutes() < MINUTES_SHOWN) {
      return age.toMinutes() + "m";
    }
    return age.toHours() < HOURS_SHOWN ? age.toHours() + "h" : age.toDays() + "d";
  }

  /// The first few, and how many more.
  public static String some(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(MOST, names.size())));
    int more = names.size() - MOST;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
