package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// What the flags of the agent's JVM are there to guarantee.
@EnabledOnOs(OS.LINUX)
class AgentFlagsTest {
  /// As many loops of the agent read files of the host or of the driver, each on its own.
  private static final int LOOPS = 12;

  private static final int LIMIT_SECONDS = 10;

  @TempDir Path folder;

  @Test
  void loopsHeldUpByFilesThatDoNotAnswerLeaveTheOthersRunning() throws Exception {
    for (int i = 0; i < LOOPS; i++) {
      makePipe(pipe(folder, i));
    }
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@src/main/jvm/agent.flags",
                "-cp",
                System.getProperty("java.class.path"),
                HeldReads.class.getName(),
                folder.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(jvm.inputReader().lines()).containsExactly("another thread ran");
    } finally {
      jvm.destroyForcibly().waitFor();
    }
  }

  private static Path pipe(Path folder, int index) {
    return folder.resolve("pipe" + index);
  }

  private static void makePipe(Path pipe) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
  }

  /// Reads pipes that have no writer, as a file of a driver that is locked up reads.
  static final class HeldReads {
    private HeldReads() {}

    public static void main(String[] arguments) throws InterruptedException {
      var begun = new CountDownLatch(LOOPS);
      for (int i = 0; i < LOOPS; i++) {
        Path pipe = pipe(Path.of(arguments[0]), i);
        Thread.ofVirtual().start(() -> read(pipe, begun));
      }
      boolean allBegun = begun.await(LIMIT_SECONDS, TimeUnit.SECONDS);
      var ran = new CountDownLatch(1);
      Thread.ofVirtual().start(ran::countDown);
      boolean hasRun = ran.await(LIMIT_SECONDS, TimeUnit.SECONDS);
      System.out.println(allBegun && hasRun ? "another thread ran" : "no other thread ran");
      Runtime.getRuntime().halt(0);
    }

    private static void read(Path pipe, CountDownLatch begun) {
      begun.countDown();
      try {
        String _ = Files.readString(pipe);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }
}
