package dev.pitcrew.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoggingTest {
  private final PrintStream standardError = System.err;

  @AfterEach
  void restore() {
    System.setErr(standardError);
    Logging.configure(LogOptions.production(), Map::of);
  }

  @Test
  void whatIsLoggedGoesToStandardErrorFromTheChosenLevelUp() {
    assertThat(logged(LogOptions.production()))
        .contains("\"msg\":\"shown\"")
        .doesNotContain("hidden");
    assertThat(logged(LogOptions.development())).contains("\tINFO\ttest\tshown").contains("hidden");
  }

  private static String logged(LogOptions options) {
    var bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    Logging.configure(options, Map::of);
    var logger = Logger.getLogger("test");
    logger.info("shown");
    logger.fine("hidden");
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
