package dev.pitcrew.core.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
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
  void logRecords_goToStandardErrorFromTheChosenLevelUp() {
    assertThat(logged(LogOptions.production()))
        .contains("\"msg\":\"shown\"")
        .doesNotContain("hidden");
    assertThat(logged(LogOptions.development())).contains("\tINFO\ttest\tshown").contains("hidden");
  }

  @Test
  void logRecordsDuringShutdown_areNotLost() throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.util.logging.manager=" + LastingLogs.class.getName(),
                "-cp",
                System.getProperty("java.class.path"),
                LastOutput.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isZero();
    assertThat(output).contains("\"msg\":\"the last\"");
  }

  /// Logs when the JDK's log manager has done at shutdown whatever it does.
  static final class LastOutput {
    public static void main(String[] args) {
      Logging.configure(LogOptions.production(), Map::of);
      var logger = Logger.getLogger("test");
      Runtime.getRuntime().addShutdownHook(new Thread(() -> afterLogManager(logger)));
    }

    private static void afterLogManager(Logger logger) {
      Thread.getAllStackTraces().keySet().stream()
          .filter(thread -> thread.getClass().getName().startsWith("java.util.logging"))
          .forEach(LoggingTest::join);
      logger.info("the last");
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
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
