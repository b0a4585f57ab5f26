package dev.pitcrew.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonFormatterTest {
  private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.006007008Z");

  @Test
  void aLineIsOneObjectWithItsFieldsTyped() {
    assertThat(
            format(
                record(
                    Level.INFO,
                    "node=gpu-1 count=3 ready=true took=0.5 version=1.36.3 node labelled")))
        .isEqualTo(
            """
            {"level":"info","ts":1767323045.006007008,"logger":"controllers.NodeLabeling","msg":"node labelled",\
            "count":3,"node":"gpu-1","ready":true,"took":0.5,"version":"1.36.3"}
            """);
  }

  @Test
  void textIsEscaped() {
    assertThat(
            format(
                record(Level.WARNING, "said \"no\"\n\tback\\slash \u0001 € \uD83D\uDE00 \uD83D")))
        .contains("\"level\":\"warn\"")
        .contains(
            "\"msg\":\"said \\\"no\\\"\\n\\tback\\\\slash \\u0001 € \\ud83d\\ude00 \\ud83d\"}");
  }

  @Test
  void anExceptionStaysOnTheLine() {
    var record = record(Level.SEVERE, "reconcile failed");
    record.setThrown(new IllegalStateException("no such node"));

    assertThat(format(record))
        .contains(
            "\"level\":\"error\"", "\"error\":\"java.lang.IllegalStateException: no such node\"")
        .contains("\"stacktrace\":\"java.lang.IllegalStateException: no such node\\n\\tat ")
        .containsOnlyOnce("\n");
  }

  @Test
  void contextOfTheThreadIsShownAndKeyValuesOutrankIt() {
    var formatter =
        new JsonFormatter(TimeEncoding.RFC3339, () -> Map.of("name", "fleet", "level", "x"));

    assertThat(formatter.format(record(Level.FINE, "name=other skipped")))
        .isEqualTo(
            """
            {"level":"debug","ts":"2026-01-02T03:04:05Z","logger":"controllers.NodeLabeling","msg":"skipped",\
            "_level":"x","name":"other"}
            """);
  }

  @ParameterizedTest
  @CsvSource({
    "message=\"two words\" done, done, two words",
    "message= done, done, ''",
    "message=text with spaces, with spaces, text",
    "message=last, message=last, ",
    "see message=x done, see message=x done, ",
    "message=a\"b done, message=a\"b done, ",
  })
  void keyValuesEndWhereTheMessageStarts(String text, String message, String value) {
    var event = LogEvent.of(text);

    assertThat(event.message()).isEqualTo(message);
    assertThat(event.fields().get("message")).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({
    "epoch, 1767323045.006007008, true",
    "millis, 1767323045006.007008, true",
    "nano, 1767323045006007008, true",
    "iso8601, 2026-01-02T03:04:05.006Z, false",
    "rfc3339, 2026-01-02T03:04:05Z, false",
    "rfc3339nano, 2026-01-02T03:04:05.006007008Z, false",
  })
  void timeIsWrittenAsTheFlagAsks(String flag, String text, boolean numeric) {
    var encoding = TimeEncoding.parse(flag).orElseThrow();

    assertThat(encoding.encode(TIME)).isEqualTo(text);
    assertThat(encoding.isNumeric()).isEqualTo(numeric);
  }

  @ParameterizedTest
  @CsvSource({
    "debug, FINE",
    "1, FINE",
    "info, INFO",
    "error, SEVERE",
    "panic, OFF",
    "2, ALL",
    "10, ALL"
  })
  void levelsHaveZapsNames(String flag, String level) {
    assertThat(LogLevel.parse(flag)).contains(Level.parse(level));
  }

  @ParameterizedTest
  @CsvSource({"0", "-1", "verbose", "''"})
  void unknownLevelsAreRefused(String flag) {
    assertThat(LogLevel.parse(flag)).isEmpty();
  }

  @Test
  void consoleLinesAreTabSeparated() {
    var record = record(Level.INFO, "node=gpu-1 labelled");
    record.setThrown(new IllegalStateException("x"));

    assertThat(new ConsoleFormatter(TimeEncoding.ISO8601).format(record))
        .startsWith(
            "2026-01-02T03:04:05.006Z\tINFO\tcontrollers.NodeLabeling\tnode=gpu-1 labelled\njava.lang.IllegalStateException: x\n\tat ");
  }

  private static String format(LogRecord record) {
    return new JsonFormatter(TimeEncoding.EPOCH, Map::of).format(record);
  }

  private static LogRecord record(Level level, String message) {
    var record = new LogRecord(level, message);
    record.setLoggerName("controllers.NodeLabeling");
    record.setInstant(TIME);
    return record;
  }
}
