package dev.pitcrew.agent.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.runtime.plan.Edit;
import dev.pitcrew.agent.runtime.plan.Receipt;
import dev.pitcrew.agent.runtime.plan.RestartMode;
import dev.pitcrew.agent.runtime.plan.RuntimeKind;
import dev.pitcrew.agent.state.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/// Keeps what was done to the runtime's files, with their former bytes, below the agent's folder.
final class ReceiptFile {
  static final String NAME = "runtime/receipt.json";
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final StateFolder folder;
  private final RuntimePlace place;

  /// @param place whose files are edited from now on
  ReceiptFile(StateFolder folder, RuntimePlace place) {
    this.folder = folder;
    this.place = place;
  }

  /// Where the files are that the receipt is about.
  Optional<RuntimePlace> place() {
    return place(folder);
  }

  static Optional<RuntimePlace> place(StateFolder folder) {
    return folder
        .read(NAME)
        .flatMap(ReceiptFile::json)
        .flatMap(json ->
            RuntimeKind.of(json.path("runtime").asText())
                .map(RuntimePlace::usual)
                .map(usual -> placed(json.path("place"), usual)));
  }

  private static RuntimePlace placed(JsonNode at, RuntimePlace usual) {
    return usual.with(
        text(at, "config"),
        text(at, "dropIn"),
        text(at, "socket"),
        text(at, "program"),
        text(at, "restart").flatMap(RestartMode::of));
  }

  /// Empty where nothing was done, or nothing is known of it any more.
  Optional<Receipt> read() {
    return folder.read(NAME).flatMap(ReceiptFile::json).flatMap(ReceiptFile::receipt);
  }

  /// @return why it is not kept
  Optional<String> keep(Receipt receipt) {
    ObjectNode json = MAPPER.createObjectNode();
    json.put("runtime", receipt.kind().value()).put("pending", receipt.pending());
    json.putObject("place")
        .put("config", place.mainPath())
        .put("dropIn", place.dropInPath())
        .put("socket", place.socket())
        .put("program", place.program())
        .put("restart", place.restart().value());
    ArrayNode files = json.putArray("files");
    receipt
        .files()
        .forEach(kept -> {
          ObjectNode file = files.addObject().put("path", kept.path());
          kept.original().ifPresent(text -> file.put("original", text));
          kept.applied().ifPresent(text -> file.put("applied", text));
        });
    receipt
        .refusal()
        .ifPresent(refusal -> {
          ObjectNode refused = json.putObject("refused").put("why", refusal.why());
          ArrayNode edits = refused.putArray("edits");
          refusal
              .edits()
              .forEach(edit -> {
                ObjectNode node = edits.addObject().put("path", edit.path());
                edit.before().ifPresent(text -> node.put("before", text));
                edit.after().ifPresent(text -> node.put("after", text));
              });
        });
    return folder.keep(NAME, json.toPrettyString() + "\n");
  }

  void forget() throws IOException {
    Files.deleteIfExists(folder.path().resolve(NAME));
    folder.isRemoved(NAME);
  }

  private static Optional<JsonNode> json(String text) {
    try {
      return Optional.of(MAPPER.readTree(text));
    } catch (JsonProcessingException _) {
      return Optional.empty();
    }
  }

  private static Optional<Receipt> receipt(JsonNode json) {
    return RuntimeKind.of(json.path("runtime").asText())
        .map(kind ->
            new Receipt(kind, files(json), json.path("pending").asBoolean(), refusal(json)));
  }

  private static List<Receipt.Kept> files(JsonNode json) {
    return StreamSupport.stream(json.path("files").spliterator(), false)
        .map(file ->
            new Receipt.Kept(
                file.path("path").asText(), text(file, "original"), text(file, "applied")))
        .toList();
  }

  private static Optional<Receipt.Refusal> refusal(JsonNode json) {
    JsonNode refused = json.path("refused");
    return Optional.of(refused)
        .filter(JsonNode::isObject)
        .map(node ->
            new Receipt.Refusal(
                StreamSupport.stream(node.path("edits").spliterator(), false)
                    .map(edit ->
                        new Edit(
                            edit.path("path").asText(), text(edit, "before"), text(edit, "after")))
                    .toList(),
                node.path("why").asText()));
  }

  private static Optional<String> text(JsonNode node, String name) {
    return Optional.of(node.path(name)).filter(JsonNode::isTextual).map(JsonNode::asText);
  }
}
