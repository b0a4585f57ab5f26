package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  private static final int LIMIT_SECONDS = 60;

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

  /// The class file of what only the watch of the host needs is cut off.
  @Test
  void anErrorOfAWatchEndsTheAgent(@TempDir Path folder) throws Exception {
    Path broken = folder.resolve("classes/dev/pitcrew/agent/host/HostSigns.class");
    Files.createDirectories(broken.getParent());
    Files.createFile(broken);
    Path said = folder.resolve("said");

    var agent =
        new ProcessBuilder(agent(folder.resolve("classes"), folder))
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try {
      assertThat(agent.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
          .as(() -> "the agent has ended: " + read(said))
          .isTrue();
    } finally {
      agent.destroyForcibly();
    }

    assertThat(read(said)).contains("thread host-watch failed", "ClassFormatError");
    assertThat(agent.exitValue()).as(read(said)).isEqualTo(3);
  }

  private static List<String> agent(Path classes, Path folder) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin/java").toString(),
        "-cp",
        classes + File.pathSeparator + System.getProperty("java.class.path"),
        Main.class.getName(),
        "agent",
        "--node-name=node-a",
        "--namespace=gpu-operator",
        "--server=https://127.0.0.1:1",
        "--service-account=" + folder,
        "--host-root=" + folder,
        "--kubelet-dir=" + folder,
        "--cdi-dir=" + folder.resolve("cdi"),
        "--state-dir=" + folder.resolve("state"),
        "--validations-dir=" + folder.resolve("validations"),
        "--health-probe-bind-address=0",
        "--node-status-bind-address=0");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
