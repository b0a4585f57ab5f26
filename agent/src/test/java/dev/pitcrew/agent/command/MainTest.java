package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  /// A program with a thread that fails before it ends well.
  static final class FailingProgram {
    private FailingProgram() {}

    public static void main(String[] args) throws InterruptedException {
      Main.endOnErrors();
      Runnable task = () -> fail(args[1]);
      var thread =
          args[0].equals("virtual")
              ? Thread.ofVirtual().name("watch").start(task)
              : Thread.ofPlatform().name("watch").start(task);
      thread.join();
      System.exit(0);
    }

    private static void fail(String with) {
      if (with.equals("error")) {
        throw new NoClassDefFoundError("dev/pitcrew/Missing");
      }
      throw new IllegalStateException("one round failed");
    }
  }

  @ParameterizedTest
  @CsvSource({"virtual, error, 3", "platform, error, 3", "virtual, exception, 0"})
  void anErrorOfAnyThreadEndsTheProcess(String thread, String thrown, int status) throws Exception {
    var process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                FailingProgram.class.getName(),
                thread,
                thrown)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(said).isEqualTo(status);
    assertThat(said).contains("thread watch failed");
  }
}
