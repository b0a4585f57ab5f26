package dev.pitcrew.agent.node;

import static dev.pitcrew.agent.node.StoredFields.list;
import static dev.pitcrew.agent.node.StoredFields.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.health.Sign;
import dev.pitcrew.agent.health.SignKind;
import dev.pitcrew.agent.health.Signs;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// What speaks against GPUs as JSON and back: Xids, and from agents that watch the readings, the
/// other signs.
final class SignText {
  private static final String XIDS = "xids";
  private static final String SIGNS = "signs";
  private static final int MOST = 4096;

  private SignText() {}

  static void write(Signs signs, ObjectNode root) {
    var xids = root.putArray(XIDS);
    var others = root.putArray(SIGNS);
    new TreeMap<>(signs.all())
        .forEach((uuid, all) ->
            all.forEach(sign -> {
              ObjectNode object = (sign.isXid() ? xids : others).addObject().put("uuid", uuid);
              if (sign.isXid()) {
                object.put("number", sign.value());
              } else {
                object
                    .put("kind", sign.kind().name())
                    .put("value", sign.value())
                    .put("counts", sign.counts());
              }
              object.put("since", sign.since().toString());
              sign.gone().ifPresent(gone -> object.put("gone", gone.toString()));
            }));
    if (others.isEmpty()) {
      root.remove(SIGNS);
    }
  }

  /// @throws IllegalArgumentException naming the field that is not as it was kept
  static Signs read(JsonNode root) {
    Map<String, List<Sign>> signs = new HashMap<>();
    for (JsonNode xid : list(root, XIDS, MOST)) {
      Instant since = time(xid, "since");
      add(
          signs,
          xid,
          new Sign(
              SignKind.XID,
              StoredFields.amount(xid, "number"),
              since,
              true,
              Optional.of(xid.has("gone") ? time(xid, "gone") : since)));
    }
    for (JsonNode sign : root.has(SIGNS) ? list(root, SIGNS, MOST) : List.<JsonNode>of()) {
      add(
          signs,
          sign,
          new Sign(
              kind(sign),
              StoredFields.amount(sign, "value"),
              time(sign, "since"),
              sign.path("counts").asBoolean(),
              sign.has("gone") ? Optional.of(time(sign, "gone")) : Optional.empty()));
    }
    return new Signs(signs);
  }

  private static void add(Map<String, List<Sign>> signs, JsonNode object, Sign sign) {
    signs
        .computeIfAbsent(text(object, "uuid", StoredFields.UUID), _ -> new ArrayList<>())
        .add(sign);
  }

  private static SignKind kind(JsonNode object) {
    String name = text(object, "kind", StoredFields.WORD);
    try {
      return SignKind.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("kind is " + name, e);
    }
  }

  private static Instant time(JsonNode object, String field) {
    return Instant.parse(text(object, field, StoredFields.WORDS));
  }
}
