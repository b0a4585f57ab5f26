package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// The checkpoint of prepared claims with the bytes of NVIDIA's DRA driver: a block `v1` with the
/// completed claims for its versions before 25.8, a block `v2` with all, each with a checksum.
///
/// A checksum is FNV-1a of 32 bits over the text in which Go prints the bytes of the compact JSON
/// whose own checksum is 0 (Kubernetes, pkg/util/hash and kubelet's checkpointmanager).
public final class CheckpointText {
  public sealed interface Parsed {
    /// @param isCurrent whether the text has all that this version writes
    record Sound(SortedMap<String, PreparedClaim> claims, String bootId, boolean isCurrent)
        implements Parsed {}

    record Damaged(String reason) implements Parsed {}
  }

  /// Settings of users are part of it, and may be nested as deep as the API server allows.
  private static final int DEEPEST = 20_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private static final String CHECKSUM = "checksum";
  private static final String CLAIMS = "preparedClaims";
  private static final String BOOT = "nodeBootID";
  private static final String COMPLETED = "PrepareCompleted";
  private static final String STARTED = "PrepareStarted";

  /// NVIDIA's DRA driver for ComputeDomains leaves it for 90 seconds where a claim is unprepared,
  /// so that a call that still prepares it ends. Nothing of the claim is left then.
  private static final String ABORTED = "PrepareAborted";

  private static final String STATE = "checkpointState";
  private static final String STATUS = "status";
  private static final String DEVICES = "preparedDevices";

  private CheckpointText() {}

  /// A claim as the text has it. It is made once for each change of the claim, since the checkpoint
  /// has all claims of the node and is written for each change of one.
  ///
  /// @param first in block `v1`; empty where it is not there
  /// @param second in block `v2`
  public record Entry(String first, String second) {
    public static Entry of(String uid, PreparedClaim claim) {
      var body = new StringBuilder("\"" + STATUS + "\":");
      GoJson.write(claim.status(), body);
      if (!claim.groups().isEmpty()) {
        body.append(",\"" + DEVICES + "\":");
        GoJson.write(claim.groups(), body);
      }
      var key = new StringBuilder();
      GoJson.quote(uid, key);
      var rest = new StringBuilder();
      field(rest, "name", claim.name());
      field(rest, "namespace", claim.namespace());
      return new Entry(
          claim.isCompleted() ? key + ":{" + body + "}" : "",
          "%s:{\"%s\":\"%s\",%s%s}"
              .formatted(key, STATE, claim.isCompleted() ? COMPLETED : STARTED, body, rest));
    }
  }

  public static String of(SortedMap<String, PreparedClaim> claims, String bootId) {
    return of(
        claims.entrySet().stream().map(it -> Entry.of(it.getKey(), it.getValue())).toList(),
        bootId);
  }

  /// @param entries in the order of the UIDs
  public static String of(Collection<Entry> entries, String bootId) {
    var first = new StringBuilder();
    var second = new StringBuilder();
    for (Entry entry : entries) {
      if (!entry.first().isEmpty()) {
        first.append(first.isEmpty() ? "" : ",").append(entry.first());
      }
      second.append(second.isEmpty() ? "" : ",").append(entry.second());
    }
    String v1 = first.isEmpty() ? "{}" : "{\"" + CLAIMS + "\":{" + first + "}}";
    var rest = new StringBuilder();
    if (!second.isEmpty()) {
      rest.append(",\"" + CLAIMS + "\":{").append(second).append('}');
    }
    field(rest, BOOT, bootId);
    return with(sum(with(0, ",\"v1\":" + v1)), ",\"v1\":" + v1 + ",\"v2\":" + v2(rest.toString()));
  }

  private static String v2(String rest) {
    return with(sum(with(0, rest)), rest);
  }

  private static String with(long checksum, String rest) {
    return "{\"" + CHECKSUM + "\":" + checksum + rest + "}";
  }

  private static void field(StringBuilder into, String name, String value) {
    if (!value.isEmpty()) {
      into.append(",\"").append(name).append("\":");
      GoJson.quote(value, into);
    }
  }

  /// No text makes it throw. Blocks that it does not know are ignored.
  public static Parsed parse(String text) {
    try {
      JsonNode root = MAPPER.readTree(text);
      return root == null || !root.isObject()
          ? new Parsed.Damaged(text.isBlank() ? "it is empty" : "it is no JSON object")
          : parse(root, GoJson.fields(GoJson.compact(text)));
    } catch (JsonProcessingException e) {
      return new Parsed.Damaged("it is no JSON: " + e.getOriginalMessage());
    }
  }

  private static Parsed parse(JsonNode root, Map<String, String> texts) {
    String first = texts.get("v1");
    String second = texts.get("v2");
    if (first == null && second == null) {
      return new Parsed.Damaged("it has neither a block v1 nor a block v2");
    }
    if (!isSum(root, with(0, first == null ? "" : ",\"v1\":" + first))) {
      return new Parsed.Damaged("its checksum does not match");
    }
    JsonNode v2 = root.path("v2");
    if (second == null || !v2.isObject()) {
      return new Parsed.Sound(claims(root.path("v1")), "", false);
    }
    var rest = new StringBuilder();
    GoJson.fields(second)
        .forEach((name, value) -> {
          if (!name.equals(CHECKSUM)) {
            rest.append(",\"").append(name).append("\":").append(value);
          }
        });
    return isSum(v2, with(0, rest.toString()))
        ? new Parsed.Sound(claims(v2), v2.path(BOOT).asText(), v2.path(BOOT).isTextual())
        : new Parsed.Damaged("the checksum of its block v2 does not match");
  }

  private static boolean isSum(JsonNode block, String text) {
    return block.path(CHECKSUM).isIntegralNumber() && block.path(CHECKSUM).asLong() == sum(text);
  }

  private static SortedMap<String, PreparedClaim> claims(JsonNode block) {
    var claims = new TreeMap<String, PreparedClaim>();
    block.path(CLAIMS).properties().stream()
        .filter(it -> !it.getValue().path(STATE).asText().equals(ABORTED))
        .forEach(it -> claims.put(it.getKey(), claim(it.getValue())));
    return claims;
  }

  private static PreparedClaim claim(JsonNode node) {
    return new PreparedClaim(
        node.path(STATE).isMissingNode() || node.path(STATE).asText().equals(COMPLETED),
        node.path(STATUS).isMissingNode()
            ? JsonNodeFactory.instance.objectNode()
            : node.path(STATUS),
        node.path(DEVICES).isArray() ? node.path(DEVICES) : JsonNodeFactory.instance.arrayNode(),
        node.path("name").asText(""),
        node.path("namespace").asText(""));
  }

  /// Of `([]uint8)[123 34 …]`, as Go prints bytes.
  static long sum(String json) {
    int hash = fnv(0x811c9dc5, "([]uint8)".getBytes(StandardCharsets.UTF_8));
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    hash = fnv(hash, ("[" + (bytes[0] & 0xff)).getBytes(StandardCharsets.UTF_8));
    for (int at = 1; at < bytes.length; at++) {
      hash = fnv(hash, SPACED[bytes[at] & 0xff]);
    }
    return Integer.toUnsignedLong(fnv(hash, new byte[] {']'}));
  }

  private static final byte[][] SPACED =
      IntStream.range(0, 256)
          .mapToObj(number -> (" " + number).getBytes(StandardCharsets.UTF_8))
          .toArray(byte[][]::new);

  private static int fnv(int start, byte[] text) {
    int hash = start;
    for (byte one : text) {
      hash = (hash ^ one) * 0x01000193;
    }
    return hash;
  }
}
