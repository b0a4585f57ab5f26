package dev.pitcrew.hardware.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlockTest {
  @TempDir private Path folder;

  @Test
  void lock_excludesOtherProcessesAndIsReleased() throws Exception {
    Path file = folder.resolve("pu.lock");
    try (Flock _ = Flock.take(file).orElseThrow()) {
      assertThat(Flock.take(file)).isEmpty();
      assertThat(flock(file, "true")).as("another process").isEqualTo(1);
    }
    assertThat(flock(file, "true")).isZero();
  }

  @Test
  void lockOfAnotherProcess_isRespectedUntilItEnds() throws Exception {
    Path file = folder.resolve("pu.lock");
    Process other =
        new ProcessBuilder("flock", "-n", file.toString(), "sh", "-c", "echo locked; read line")
            .start();
    assertThat(other.inputReader().readLine()).isEqualTo("locked");
    assertThat(Flock.take(file)).isEmpty();
    other.getOutputStream().close();
    other.waitFor();
    Optional<Flock> lock = Flock.take(file);
    assertThat(lock).isPresent();
    lock.orElseThrow().close();
  }

  @Test
  void fileThatCannotBeOpened_isNamed() throws IOException {
    Path file = Files.createDirectory(folder.resolve("folder"));
    assertThatThrownBy(() -> Flock.take(file))
        .isInstanceOf(IOException.class)
        .hasMessage("open of %s: errno 21", file);
  }

  private static int flock(Path file, String command) throws Exception {
    return new ProcessBuilder("flock", "-n", file.toString(), command).start().waitFor();
  }
}
