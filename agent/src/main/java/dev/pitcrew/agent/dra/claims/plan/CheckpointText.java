package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// The checkpoint of prepared claims with the bytes of NVIDIA's DRA driver: a block `v1` with the
/// completed claims for its versions before 25.8, a block `v2` with all, each with a checksum.
///
/// A checksum is that of the compact JSON whose own checksum is 0 ([GoSum]).
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
  private static final byte[] COMMA = {','};

  private CheckpointText() {}

  /// A claim as the text has it. It is made once for each change of the claim, since the checkpoint
  /// has all claims of the node and is written for each change of one.
  public static final class Entry {
    private final byte[] first;
    private final byte[] second;

    /// @param first in block `v1`; empty where it is not there
    /// @param second in block `v2`
    private Entry(String first, String second) {
      this.first = bytes(first);
      this.second = bytes(second);
    }

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
    var whole = new ByteArrayOutputStream();
    pieces(entries, bootId).forEach(whole::writeBytes);
    return whole.toString(StandardCharsets.UTF_8);
  }

  /// The same in pieces of the size of a claim: as one text it is megabytes where a node has a
  /// thousand claims, which a small heap has to be collected for at each write.
  ///
  /// @param entries in the order of the UIDs
  public static List<byte[]> pieces(Collection<Entry> entries, String bootId) {
    List<byte[]> first = block(entries.stream().map(it -> it.first).toList());
    if (first.isEmpty()) {
      first.add(bytes(",\"v1\":{}"));
    } else {
      first.addFirst(bytes(",\"v1\":{" + quoted(CLAIMS) + ":{"));
      first.add(bytes("}}"));
    }
    List<byte[]> second = block(entries.stream().map(it -> it.second).toList());
    if (!second.isEmpty()) {
      second.addFirst(bytes("," + quoted(CLAIMS) + ":{"));
      second.add(bytes("}"));
    }
    var boot = new StringBuilder();
    field(boot, BOOT, bootId);
    second.add(bytes(boot.toString()));

    var all = new ArrayList<byte[]>();
    all.add(head(first));
    all.addAll(first);
    all.add(bytes(",\"v2\":"));
    all.add(head(second));
    all.addAll(second);
    all.add(bytes("}}"));
    return all;
  }

  /// Those that are not empty, with commas between them.
  private static List<byte[]> block(List<byte[]> entries) {
    var block = new ArrayList<byte[]>();
    for (byte[] entry : entries) {
      if (entry.length > 0) {
        if (!block.isEmpty()) {
          block.add(COMMA);
        }
        block.add(entry);
      }
    }
    return block;
  }

  /// The begin of an object with a checksum, whose other fields are these.
  private static byte[] head(List<byte[]> rest) {
    var sum = new GoSum();
    sum.add(bytes(head(0)));
    rest.forEach(sum::add);
    sum.add(bytes("}"));
    return bytes(head(sum.value()));
  }

  private static String head(long checksum) {
    return "{" + quoted(CHECKSUM) + ":" + checksum;
  }

  private static String quoted(String name) {
    return "\"" + name + "\"";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String with(long checksum, String rest) {
    return head(checksum) + rest + "}";
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

  static long sum(String json) {
    var sum = new GoSum();
    sum.add(bytes(json));
    return sum.value();
  }
}
