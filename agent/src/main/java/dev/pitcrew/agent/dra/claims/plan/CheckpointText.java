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
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

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
  private static final String STATUS = "status";
  private static final String DEVICES = "preparedDevices";

  private CheckpointText() {}

  public static String of(SortedMap<String, PreparedClaim> claims, String bootId) {
    var first = new StringBuilder();
    var second = new StringBuilder();
    claims.forEach((uid, claim) -> {
      if (claim.isCompleted()) {
        separate(first, uid).append('{');
        body(first, claim).append('}');
      }
      separate(second, uid).append("{\"checkpointState\":\"");
      second.append(claim.isCompleted() ? COMPLETED : STARTED).append("\",");
      body(second, claim);
      field(second, "name", claim.name());
      field(second, "namespace", claim.namespace());
      second.append('}');
    });
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

  private static StringBuilder separate(StringBuilder into, String uid) {
    if (!into.isEmpty()) {
      into.append(',');
    }
    GoJson.quote(uid, into);
    return into.append(':');
  }

  private static StringBuilder body(StringBuilder into, PreparedClaim claim) {
    into.append("\"" + STATUS + "\":");
    GoJson.write(claim.status(), into);
    if (!claim.groups().isEmpty()) {
      into.append(",\"" + DEVICES + "\":");
      GoJson.write(claim.groups(), into);
    }
    return into;
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
    block.path(CLAIMS).properties().forEach(it -> claims.put(it.getKey(), claim(it.getValue())));
    return claims;
  }

  private static PreparedClaim claim(JsonNode node) {
    return new PreparedClaim(
        node.path("checkpointState").isMissingNode()
            || node.path("checkpointState").asText().equals(COMPLETED),
        node.path(STATUS).isMissingNode()
            ? JsonNodeFactory.instance.objectNode()
            : node.path(STATUS),
        node.path(DEVICES).isArray() ? node.path(DEVICES) : JsonNodeFactory.instance.arrayNode(),
        node.path("name").asText(""),
        node.path("namespace").asText(""));
  }

  /// Of `([]uint8)[123 34 …]`, as Go prints bytes.
  static long sum(String json) {
    int hash = fnv(0x811c9dc5, "([]uint8)[");
    boolean isFirst = true;
    for (byte one : json.getBytes(StandardCharsets.UTF_8)) {
      if (!isFirst) {
        hash = fnv(hash, " ");
      }
      hash = fnv(hash, DECIMALS[one & 0xff]);
      isFirst = false;
    }
    return Integer.toUnsignedLong(fnv(hash, "]"));
  }

  private static final String[] DECIMALS = decimals();

  private static String[] decimals() {
    var texts = new String[256];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = String.valueOf(i);
    }
    return texts;
  }

  private static int fnv(int start, String text) {
    int hash = start;
    for (int i = 0; i < text.length(); i++) {
      hash = (hash ^ text.charAt(i)) * 0x01000193;
    }
    return hash;
  }
}
