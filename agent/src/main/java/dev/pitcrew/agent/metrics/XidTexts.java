package dev.pitcrew.agent.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/// What Xids mean, in the words that dcgm-exporter puts on series.
final class XidTexts {
  private static final String RESOURCE = "/dev/pitcrew/agent/metrics/xid-texts.txt";
  private static final String UNKNOWN = "Unknown Error";

  private static final Map<Long, String> TEXTS = read();

  private XidTexts() {}

  static String of(long xid) {
    return TEXTS.getOrDefault(xid, UNKNOWN);
  }

  private static Map<Long, String> read() {
    try (var in = Objects.requireNonNull(XidTexts.class.getResourceAsStream(RESOURCE))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .collect(
              Collectors.toUnmodifiableMap(
                  line -> Long.valueOf(line.substring(0, line.indexOf(' '))),
                  line -> line.substring(line.indexOf(' ') + 1)));
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE, e);
    }
  }
}
