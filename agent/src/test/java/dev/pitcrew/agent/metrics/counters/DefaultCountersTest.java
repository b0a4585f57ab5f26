package dev.pitcrew.agent.metrics.counters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.metrics.CountersInForce;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class DefaultCountersTest {
  private static final Path RECORDED = Path.of("src/test/resources/metrics/default-counters.txt");

  @Test
  void defaultCounters_areThoseOfTheReference() throws IOException {
    CounterList defaults = CountersInForce.defaults(FieldTable.load()).list();

    assertThat(defaults.problems()).isEmpty();
    assertThat(defaults.hints()).isEmpty();
    assertThat(defaults.counters().stream().map(DefaultCountersTest::line).toList())
        .containsExactlyInAnyOrderElementsOf(recorded());
    assertThat(defaults.counters()).allMatch(counter -> counter.field().origin().isPresent());
  }

  private static List<String> recorded() throws IOException {
    return Files.readAllLines(RECORDED).stream().filter(line -> !line.startsWith("#")).toList();
  }

  private static String line(Counter counter) {
    String type = counter.type().name().toLowerCase(Locale.ROOT);
    return "%s %s %s".formatted(counter.name(), type, digest(counter.help()));
  }

  private static String digest(String text) {
    try {
      byte[] all =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(all).substring(0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
