package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.EventLedger.Series;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/// Events of `events.k8s.io/v1` as JSON.
///
/// @param instance the pod or the node that reports them
record EventText(String instance) {
  static final String NAMESPACE = "default"; // of every Event about an object of no namespace

  private static final String API_VERSION = "events.k8s.io/v1";
  private static final String CONTROLLER = "pitcrew.dev/agent";
  private static final int LONGEST_NOTE_BYTES = 1024;
  private static final int LONGEST_INSTANCE = 128;

  /// The API server takes no other number of digits.
  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSSX").withZone(ZoneOffset.UTC);

  static ObjectPath path(Series series) {
    return ObjectPath.of(API_VERSION, "events", namespace(series), series.name());
  }

  private static String namespace(Series series) {
    String of = series.event().regarding().namespace();
    return of.isEmpty() ? NAMESPACE : of;
  }

  /// @param lost how many other Events are reported by this number only
  JsonNode event(Series series, int lost) {
    ObjectEvent event = series.event();
    ObjectNode json = Json.newObject().put("apiVersion", API_VERSION).put("kind", "Event");
    json.putObject("metadata").put("name", series.name()).put("namespace", namespace(series));
    json.put("eventTime", time(series.first()))
        .put("reportingController", CONTROLLER)
        .put(
            "reportingInstance",
            instance.substring(0, Math.min(instance.length(), LONGEST_INSTANCE)))
        .put("action", event.reason())
        .put("type", event.type().text())
        .put("reason", event.reason())
        .put("note", note(event.note(), lost));
    json.putObject("regarding")
        .put("apiVersion", event.regarding().apiVersion())
        .put("kind", event.regarding().kind())
        .put("name", event.regarding().name())
        .put("uid", event.regarding().uid());
    if (!event.regarding().namespace().isEmpty()) {
      json.withObject("/regarding").put("namespace", event.regarding().namespace());
    }
    if (series.count() > 1) {
      json.set("series", count(series));
    }
    return json;
  }

  /// A JSON patch that counts what has happened again.
  static JsonNode again(Series series) {
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    patch.addObject().put("op", "add").put("path", "/series").set("value", count(series));
    return patch;
  }

  private static ObjectNode count(Series series) {
    return Json.newObject()
        .put("count", series.count())
        .put("lastObservedTime", time(series.last()));
  }

  private static String time(Instant instant) {
    return MICRO_TIME.format(instant);
  }

  static String note(String text, int lost) {
    String more = lost == 0 ? "" : " (%d more events were not reported)".formatted(lost);
    int room = LONGEST_NOTE_BYTES - bytes(more);
    if (bytes(text) <= room) {
      return text + more;
    }
    int end = Math.min(text.length(), room);
    while (bytes(text.substring(0, end)) > room - bytes("…")) {
      end = text.offsetByCodePoints(end, -1);
    }
    return text.substring(0, end) + "…" + more;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
