package dev.pitcrew.agent.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
  @TempDir private Path folder;

  @Test
  void agentThatIsStopped_stillWrites() throws IOException {
    Path file = folder.resolve("health.json");
    Thread.currentThread().interrupt();
    try {
      WholeFile.replace(file, "whole");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }

    assertThat(file).hasContent("whole");
  }

  @Test
  void aDraftThatWasLeftBehindHasNoSayInWhoMayRead() throws IOException {
    Path draft = Files.writeString(folder.resolve(".health.json.draft"), "half");
    Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-rw-rw-"));

    WholeFile.replace(folder.resolve("health.json"), "whole");

    assertThat(draft).doesNotExist();
    assertThat(Files.getPosixFilePermissions(folder.resolve("health.json")))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void nothingIsLeftOfAFileThatIsRemoved() throws IOException {
    Path file = folder.resolve("health.json");
    Files.writeString(folder.resolve(".health.json.draft"), "half");
    assertThat(WholeFile.remove(file)).isFalse();
    WholeFile.replace(file, "whole");
    Files.writeString(folder.resolve(".health.json.draft"), "half");

    assertThat(WholeFile.remove(file)).isTrue();
    assertThat(folder).isEmptyDirectory();
  }
}
