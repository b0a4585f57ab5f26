package dev.pitcrew.agent.unhealthy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/// What has been reported to the pods that hold devices, and what is still to be reported. It is
/// stored first, so that a killed agent loses no report, and the next agent reports nothing twice:
/// it reports the rest with the same time, which makes it the same Event.
///
/// @param all by the UUID of the device
record HealthNotices(Map<String, Notice> all) {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /// @param reason why the device is unhealthy; empty where it has recovered
  record Notice(String reason, Instant at, boolean isReported) {}

  HealthNotices {
    all = Map.copyOf(all);
  }

  /// The initial state, in which there is nothing to report.
  static HealthNotices first(Map<String, String> unhealthy, Instant now) {
    return new HealthNotices(Map.of()).after(unhealthy, now).reported(_ -> true);
  }

  /// After a check which devices are unhealthy, and why. Another reason is not reported.
  HealthNotices after(Map<String, String> unhealthy, Instant now) {
    var next = new TreeMap<>(all);
    unhealthy.forEach((uuid, reason) -> {
      if (all.get(uuid) == null || all.get(uuid).reason().isEmpty()) {
        next.put(uuid, new Notice(reason, now, false));
      }
    });
    all.forEach((uuid, news) -> {
      if (!unhealthy.containsKey(uuid) && !news.reason().isEmpty()) {
        next.put(uuid, new Notice("", now, false));
      }
    });
    return new HealthNotices(next);
  }

  /// What is not reported yet.
  Map<String, Notice> unreported() {
    var unreported = new TreeMap<>(all);
    unreported.values().removeIf(Notice::isReported);
    return unreported;
  }

  /// After these were reported. What is over is dropped.
  HealthNotices reported(Predicate<String> isReported) {
    var next = new TreeMap<String, Notice>();
    all.forEach((uuid, news) -> {
      boolean isDone = news.isReported() || isReported.test(uuid);
      if (!isDone || !news.reason().isEmpty()) {
        next.put(uuid, new Notice(news.reason(), news.at(), isDone));
      }
    });
    return new HealthNotices(next);
  }

  String text() {
    ObjectNode root = MAPPER.createObjectNode();
    new TreeMap<>(all)
        .forEach((uuid, news) ->
            root.putObject(uuid)
                .put("reason", news.reason())
                .put("at", news.at().toString())
                .put("told", news.isReported()));
    return root.toString();
  }

  /// @return empty where this is not what an agent wrote
  static Optional<HealthNotices> read(String text) {
    try {
      var all = new TreeMap<String, Notice>();
      for (Map.Entry<String, JsonNode> one : MAPPER.readTree(text).properties()) {
        JsonNode news = one.getValue();
        all.put(
            one.getKey(),
            new Notice(
                news.path("reason").asText(""),
                Instant.parse(news.path("at").asText("")),
                news.path("told").asBoolean()));
      }
      return Optional.of(new HealthNotices(all));
    } catch (JsonProcessingException | DateTimeParseException _) {
      return Optional.empty();
    }
  }
}
