package dev.pitcrew.agent.dra.slices;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.dra.slices.plan.SlicePlan;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Whether the API server keeps fields of ResourceSlices whose feature gates are off by default
/// before Kubernetes 1.36.
///
/// A server drops such a field without an error. Without their counters devices that overlap would
/// be independent ones to the scheduler, and without its taint an unhealthy device would be a
/// healthy one. So the server is asked with a dry run, which stores nothing, before the first slice
/// with the field is published, and again every hour: it may be updated.
final class KeptFields {
  private static final Duration UNTIL_ASKED_AGAIN = Duration.ofHours(1);

  private static final int UNPROCESSABLE = 422;

  /// From this minor version on, counters and devices are in separate slices.
  private static final int SEPARATING = 35;

  private static final Pattern MINOR = Pattern.compile("(\\d+).*");

  private final ApiServer server;
  private final InstantSource clock;
  private final Map<Field, Asked> asked = new EnumMap<>(Field.class);

  enum Field {
    /// What partitions of a GPU share (KEP-4815).
    COUNTERS("spec.sharedCounters"),
    /// What keeps claims from a device (KEP-5055).
    TAINTS("spec.devices[].taints");

    private final String path;

    Field(String path) {
      this.path = path;
    }

    private boolean isIn(JsonNode slice) {
      return switch (this) {
        case COUNTERS -> !slice.at("/spec/sharedCounters").isEmpty();
        case TAINTS -> !slice.at("/spec/devices/0/taints").isEmpty();
      };
    }
  }

  sealed interface Answer {
    /// @param separatesCounters see [dev.pitcrew.device.dra.ResourcePool#of]
    record Kept(boolean separatesCounters) implements Answer {}

    /// @param reason names the server's version and the field
    record Dropped(String reason) implements Answer {}

    /// @param reply to the call that did not succeed
    record Unknown(Reply reply) implements Answer {}
  }

  /// A slice that has the field.
  interface Probe {
    /// @param separatesCounters see [dev.pitcrew.device.dra.ResourcePool#of]
    JsonNode slice(boolean separatesCounters);
  }

  private record Asked(Answer answer, Instant until) {}

  KeptFields(ApiServer server, InstantSource clock) {
    this.server = server;
    this.clock = clock;
  }

  Answer of(Field field, Probe probe) {
    Asked before = asked.get(field);
    if (before != null && clock.instant().isBefore(before.until())) {
      return before.answer();
    }
    Answer answer = ask(field, probe);
    if (!(answer instanceof Answer.Unknown)) {
      asked.put(field, new Asked(answer, clock.instant().plus(UNTIL_ASKED_AGAIN)));
    }
    return answer;
  }

  private Answer ask(Field field, Probe probe) {
    Reply version = server.version(WriteRetry.DEADLINE);
    if (!(version instanceof Reply.Done(var build))) {
      return new Answer.Unknown(version);
    }
    boolean separates = separates(build.path("minor").asText());
    String named = build.path("gitVersion").asText();
    Reply tried =
        server.tryCreate(
            ObjectPath.unnamed(SlicePlan.API_VERSION, "resourceslices"),
            probe.slice(separates),
            WriteRetry.DEADLINE);
    return switch (tried) {
      case Reply.Done(var slice) when field.isIn(slice) -> new Answer.Kept(separates);
      case Reply.Done _ ->
          new Answer.Dropped(
              "the API server (%s) does not keep %s of ResourceSlices"
                  .formatted(named, field.path));
      case Reply.Refused refused when refused.status() == UNPROCESSABLE ->
          new Answer.Dropped(
              "the API server (%s) refuses %s of ResourceSlices: %s"
                  .formatted(named, field.path, refused.message()));
      case Reply.Refused _, Reply.Unanswered _ -> new Answer.Unknown(tried);
    };
  }

  /// @param minor such as `34` or `34+`
  static boolean separates(String minor) {
    Matcher number = MINOR.matcher(minor);
    return !number.matches() || Integer.parseInt(number.group(1)) >= SEPARATING;
  }
}
