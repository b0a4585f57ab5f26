package dev.pitcrew.agent.dra.claims.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.agent.dra.claims.TestClaim;
import dev.pitcrew.agent.dra.claims.plan.CheckpointText.Parsed;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointTextTest {
  private static Parsed.Sound sound(String text) {
    return switch (CheckpointText.parse(text)) {
      case Parsed.Sound sound -> sound;
      case Parsed.Damaged(var reason) -> throw new AssertionError(reason);
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"checksum\":0,\"v1\":{}} | 1083090442",
        "{\"checksum\":0} | 4166374854",
        "{\"checksum\":0,\"preparedClaims\":{}} | 2836257239",
        "{\"checksum\":0,\"nodeBootID\":\"b\"} | 2537981802",
      })
  void checksumsAreThoseOfGo(String text, long sum) {
    assertThat(CheckpointText.sum(text)).isEqualTo(sum);
  }

  /// Each byte in each state of the eight bits that it depends on.
  @Test
  void checksumIsFnvOfWhatGoPrints() {
    var bytes = new byte[1 << 16];
    new Random(29).nextBytes(bytes);
    var sum = new GoSum();
    sum.add(Arrays.copyOf(bytes, 1_000));
    sum.add(Arrays.copyOfRange(bytes, 1_000, bytes.length));

    int hash = 0x811c9dc5;
    var printed = new StringJoiner(" ", "([]uint8)[", "]");
    for (byte one : bytes) {
      printed.add(String.valueOf(Byte.toUnsignedInt(one)));
    }
    for (byte one : printed.toString().getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ one) * 0x01000193;
    }
    assertThat(sum.value()).isEqualTo(Integer.toUnsignedLong(hash));
  }

  /// Arrays of megabytes at each write are what a heap of 64 MiB is collected for again and again.
  @Test
  void noPieceIsMuchLargerThanAClaim() {
    String fact = "{\"name\":\"c\",\"devices\":[{\"request\":\"r\",\"device\":\"gpu-0\"}]}";
    var claim = PreparedClaim.started(TestClaim.of(Facts.parse(fact), "u"));
    var entries =
        IntStream.range(1_000, 2_000)
            .mapToObj(number -> CheckpointText.Entry.of("uid-" + number, claim))
            .toList();
    assertThat(CheckpointText.pieces(entries, "b"))
        .hasSizeGreaterThan(1_000)
        .allMatch(piece -> piece.length < 1_000);
    assertThat(sound(CheckpointText.of(entries, "b")).claims()).hasSize(1_000);
  }

  @Test
  void recordedCheckpointsAreReadAndWrittenByteForByte() {
    List<String> texts =
        Facts.read("cp-golden").findValues("checkpointRaw").stream().map(JsonNode::asText).toList();
    assertThat(texts).hasSize(3);
    for (String text : texts) {
      Parsed.Sound read = sound(text);
      assertThat(read.isCurrent()).isTrue();
      assertThat(CheckpointText.of(read.claims(), read.bootId())).isEqualTo(text);
    }
    assertThat(sound(texts.get(1)).claims().values())
        .singleElement()
        .satisfies(claim -> assertThat(claim.deviceNames()).containsExactly("gpu-0"));
  }

  @Test
  void blocksOfOtherVersionsAndWhiteSpaceAreAccepted() {
    String empty = CheckpointText.of(new TreeMap<>(), "b");
    String spaced = empty.replace(":", " : ").replace(",", ",\n ");
    String more = spaced.substring(0, spaced.length() - 1) + ", \"v3\": {\"x\": [1, \"}\"]}}";
    assertThat(sound(more)).isEqualTo(sound(empty));
  }

  @Test
  void firstVersionAloneHasCompletedClaimsAndIsNotCurrent() {
    String golden = Facts.read("cp-golden").findValues("checkpointRaw").get(1).asText();
    String first = golden.substring(0, golden.indexOf(",\"v2\":")) + "}";
    Parsed.Sound read = sound(first);
    assertThat(read.isCurrent()).isFalse();
    assertThat(CheckpointText.of(read.claims(), "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb"))
        .isEqualTo(golden);
  }

  /// What it says was undone by the program that wrote it; only the checksum has to be right.
  @Test
  void claimsThatWereAbortedAreGone() {
    SortedMap<String, PreparedClaim> claims = new TreeMap<>();
    String fact = "{\"name\":\"c\",\"devices\":[{\"request\":\"r\",\"device\":\"gpu-0\"}]}";
    claims.put("u", PreparedClaim.started(TestClaim.of(Facts.parse(fact), "u")));
    String started = CheckpointText.of(claims, "b");
    String aborted =
        started.replace(
            "\"PrepareStarted\"", "\"PrepareAborted\",\"abortedAt\":\"2026-11-28T12:00:00Z\"");
    String block = aborted.substring(aborted.indexOf("\"v2\":") + 5, aborted.length() - 1);
    long sum = CheckpointText.sum(block.replaceFirst("\"checksum\":\\d+", "\"checksum\":0"));
    String text =
        aborted.replace(block, block.replaceFirst("\"checksum\":\\d+", "\"checksum\":" + sum));

    assertThat(sound(started).claims()).containsOnlyKeys("u");
    assertThat(sound(text).claims()).isEmpty();
    assertThat(sound(text).bootId()).isEqualTo("b");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "not json",
        "[]",
        "{}",
        "null",
        "{\"checksum\":1083090442}",
        "{\"checksum\":1,\"v1\":{}}",
        "{\"checksum\":1083090442,\"v1\":{},\"v2\":{\"checksum\":2,\"nodeBootID\":\"b\"}}",
        "{\"checksum\":1083090442,\"v1\":{}} {}",
        "{\"checksum\":1083090442,\"v1\":{}",
      })
  void damagedTextsAreFound(String text) {
    assertThat(CheckpointText.parse(text)).isInstanceOf(Parsed.Damaged.class);
  }

  /// A single bit anywhere in a value.
  @Test
  void eachChangedCharacterIsFound() {
    String golden = Facts.read("cp-golden").findValues("checkpointRaw").get(1).asText();
    String uid = "f691a911";
    for (int at = golden.indexOf(uid); at >= 0; at = golden.indexOf(uid, at + 1)) {
      String changed = golden.substring(0, at) + "e" + golden.substring(at + 1);
      assertThat(CheckpointText.parse(changed)).isInstanceOf(Parsed.Damaged.class);
    }
  }

  /// Go escapes some characters that others do not, and the driver would find another checksum.
  @ParameterizedTest
  @ValueSource(
      strings = {"a<b>&c", "\u2028\u2029", "ä€😀", "\b\f\n\r\t\u0001\"\\/", "1.10", "-0.0"})
  void settingsOfUsersSurvive(String value) {
    String settings =
        "{\"name\":\"c\",\"devices\":[{\"request\":\"r\",\"device\":\"gpu-0\"}],\"config\":[{\"source\":\"FromClaim\",\"driver\":\"gpu.nvidia.com\",\"parameters\":{}}]}";
    JsonNode fact = Facts.parse(settings);
    ((ObjectNode) fact.at("/config/0/parameters")).put("text", value).put("number", 1.10);
    SortedMap<String, PreparedClaim> claims = new TreeMap<>();
    claims.put("u", PreparedClaim.started(TestClaim.of(fact, "u")));

    String text = CheckpointText.of(claims, "b");

    Parsed.Sound read = sound(text);
    assertThat(CheckpointText.of(read.claims(), "b")).isEqualTo(text);
    assertThat(read.claims().values())
        .singleElement()
        .extracting(claim ->
            claim.status().at("/allocation/devices/config/0/opaque/parameters/text").asText())
        .isEqualTo(value);
    assertThat(text).doesNotContain("<", ">", "&", "\u2028", "\u2029");
  }

  @Test
  void deeplyNestedSettingsDoNotDamageTheCheckpoint() {
    String nested = "[".repeat(900) + "]".repeat(900);
    JsonNode fact =
        Facts.parse(
            "{\"name\":\"c\",\"devices\":[{\"request\":\"r\",\"device\":\"gpu-0\"}],\"config\":[{\"source\":\"FromClaim\",\"driver\":\"gpu.nvidia.com\",\"parameters\":"
                + nested
                + "}]}");
    SortedMap<String, PreparedClaim> claims = new TreeMap<>();
    claims.put("u", PreparedClaim.started(TestClaim.of(fact, "u")));
    assertThat(sound(CheckpointText.of(claims, "b")).claims()).containsKey("u");
  }
}
