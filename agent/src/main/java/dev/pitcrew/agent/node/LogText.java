package dev.pitcrew.agent.node;

import static dev.pitcrew.agent.node.StoredFields.list;
import static dev.pitcrew.agent.node.StoredFields.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.SwitchError;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/// What is known from the kernel's log as JSON and back. What is not there is not written: an agent
/// that reads no log keeps what agents before it kept.
final class LogText {
  private static final String READ_UP_TO = "kernelLog";
  private static final String SWITCHES = "switches";

  private LogText() {}

  static void write(LogNotes notes, ObjectNode root) {
    notes.readUpTo().ifPresent(sequence -> root.put(READ_UP_TO, sequence));
    if (notes.switches().isEmpty()) {
      return;
    }
    var switches = root.putArray(SWITCHES);
    notes
        .switches()
        .forEach(error ->
            switches
                .addObject()
                .put("pciAddress", error.pciAddress())
                .put("number", error.number())
                .put("fatal", error.isFatal())
                .put("text", error.text())
                .put("since", error.since().toString()));
  }

  /// @throws IllegalArgumentException naming the field that is not as it was kept
  static LogNotes read(JsonNode root) {
    OptionalLong readUpTo =
        root.has(READ_UP_TO)
            ? OptionalLong.of(StoredFields.amount(root, READ_UP_TO))
            : OptionalLong.empty();
    List<JsonNode> switches =
        root.has(SWITCHES) ? list(root, SWITCHES, LogNotes.MOST) : List.<JsonNode>of();
    return new LogNotes(readUpTo, switches.stream().map(LogText::error).toList());
  }

  private static SwitchError error(JsonNode object) {
    return new SwitchError(
        text(object, "pciAddress", StoredFields.PCI_ADDRESS),
        StoredFields.amount(object, "number"),
        object.path("fatal").asBoolean(),
        text(object, "text", StoredFields.WORDS),
        Instant.parse(text(object, "since", StoredFields.WORDS)));
  }
}
