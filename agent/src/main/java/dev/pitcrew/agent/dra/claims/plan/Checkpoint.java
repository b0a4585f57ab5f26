package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The claims of a node as NVIDIA's DRA driver stores them in `checkpoint.json`, byte for byte, so
/// that each of the two drivers goes on from the other's file. The file has two versions of the
/// same claims: `v1` only has those that are prepared, and `v2` also those whose preparation has
/// begun.
///
/// A checksum covers the compact JSON with itself set to 0 (`k8s.io/kubernetes`,
/// `pkg/kubelet/checkpointmanager/checksum`): FNV-1a over the text that Go prints of the bytes. Go
/// escapes `<`, `>` and `&` in JSON.
///
/// @param bootId of the boot in which the claims were prepared
/// @param claims by UID
public record Checkpoint(String bootId, Map<String, PreparedClaim> claims) {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CHECKSUM = "checksum";
  private static final String CLAIMS = "preparedClaims";
  private static final long FNV_OFFSET = 0x811c9dc5L;
  private static final long FNV_PRIME = 0x01000193L;
  private static final long MASK = 0xffffffffL;

  static {
    JSON.getFactory().setCharacterEscapes(new GoEscapes());
  }

  public Checkpoint {
    claims = Map.copyOf(claims);
  }

  /// What a text is.
  public sealed interface Parsed {
    /// @param isCurrent whether it has the version that this driver writes
    record Usable(Checkpoint checkpoint, boolean isCurrent) implements Parsed {}

    record Damaged(String why) implements Parsed {}
  }

  /// The same with a claim in place of the one of its UID.
  public Checkpoint with(PreparedClaim claim) {
    var next = new TreeMap<>(claims);
    next.put(claim.uid(), claim);
    return new Checkpoint(bootId, next);
  }

  public Checkpoint without(String uid) {
    var next = new TreeMap<>(claims);
    next.remove(uid);
    return new Checkpoint(bootId, next);
  }

  public String text() {
    ObjectNode completed = NODES.objectNode();
    ObjectNode all = NODES.objectNode();
    new TreeMap<>(claims)
        .forEach((uid, claim) -> {
          all.set(uid, claim.v2());
          if (claim.isCompleted()) {
            completed.set(uid, claim.v1());
          }
        });
    ObjectNode v1 = NODES.objectNode();
    if (!completed.isEmpty()) {
      v1.set(CLAIMS, completed);
    }
    ObjectNode v2 = NODES.objectNode().put(CHECKSUM, 0);
    if (!all.isEmpty()) {
      v2.set(CLAIMS, all);
    }
    v2.put("nodeBootID", bootId);
    v2.put(CHECKSUM, checksum(v2));
    ObjectNode root = NODES.objectNode().put(CHECKSUM, 0);
    root.set("v1", v1);
    root.put(CHECKSUM, checksum(root));
    root.set("v2", v2);
    return write(root);
  }

  /// A file without `v2` is of an earlier driver: its claims are prepared, in this boot. Blocks of
  /// later versions are left out.
  ///
  /// @param bootId of this boot
  public static Parsed parse(String text, String bootId) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return new Parsed.Damaged("it is not JSON: " + e.getOriginalMessage());
    }
    if (!root.isObject() || !root.path("v1").isObject()) {
      return new Parsed.Damaged("it has no v1");
    }
    ObjectNode first = NODES.objectNode().put(CHECKSUM, 0);
    first.set("v1", root.path("v1"));
    if (checksum(first) != root.path(CHECKSUM).asLong(-1)) {
      return new Parsed.Damaged("its checksum is wrong");
    }
    if (!(root.path("v2") instanceof ObjectNode v2)) {
      return new Parsed.Usable(new Checkpoint(bootId, claims(root.path("v1"), true)), false);
    }
    ObjectNode second = v2.deepCopy().put(CHECKSUM, 0);
    return checksum(second) == v2.path(CHECKSUM).asLong(-1)
        ? new Parsed.Usable(new Checkpoint(v2.path("nodeBootID").asText(), claims(v2, false)), true)
        : new Parsed.Damaged("the checksum of its v2 is wrong");
  }

  private static Map<String, PreparedClaim> claims(JsonNode version, boolean areCompleted) {
    var claims = new TreeMap<String, PreparedClaim>();
    version
        .path(CLAIMS)
        .properties()
        .forEach(entry ->
            claims.put(
                entry.getKey(),
                PreparedClaim.read(entry.getKey(), entry.getValue(), areCompleted)));
    return claims;
  }

  private static long checksum(JsonNode document) {
    byte[] bytes = write(document).getBytes(StandardCharsets.UTF_8);
    long hash = FNV_OFFSET;
    var printed = new StringBuilder("([]uint8)[");
    for (int i = 0; i < bytes.length; i++) {
      printed.append(i == 0 ? "" : " ").append(bytes[i] & 0xff);
    }
    printed.append(']');
    for (byte one : printed.toString().getBytes(StandardCharsets.US_ASCII)) {
      hash = ((hash ^ (one & 0xff)) * FNV_PRIME) & MASK;
    }
    return hash;
  }

  private static String write(JsonNode node) {
    try {
      return JSON.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("a tree is always JSON", e);
    }
  }

  /// Beside what JSON wants, as Go's `encoding/json` does.
  private static final class GoEscapes extends CharacterEscapes {
    private static final long serialVersionUID = 1L;

    private final int[] ascii = standardAsciiEscapesForJSON();

    GoEscapes() {
      for (char one : new char[] {'<', '>', '&'}) {
        ascii[one] = ESCAPE_CUSTOM;
      }
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ascii.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
      return Optional.of(character)
          .filter(it -> it == '<' || it == '>' || it == '&' || it == 0x2028 || it == 0x2029)
          .map(it -> new SerializedString("\\u%04x".formatted(it)))
          .orElse(null);
    }
  }
}
