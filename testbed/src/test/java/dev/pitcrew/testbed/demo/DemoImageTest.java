package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoImageTest {
  private static final String ARCHITECTURE =
      System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";
  @TempDir private Path folder;

  @Test
  void theNewestArchiveOfThisMachinesArchitectureIsTaken() throws IOException {
    archive("pitcrew-0.1.0-" + ARCHITECTURE + ".tar", 2);
    var newest = archive("pitcrew-0.2.0-" + ARCHITECTURE + ".tar", 3);
    archive("pitcrew-0.3.0-other.tar", 4);

    assertThat(DemoImage.in(folder).archive()).isEqualTo(newest);
  }

  @Test
  void anArchiveCanBeNamed() throws IOException {
    var archive = archive("mine.tar", 1);

    assertThat(DemoImage.in(archive).archive()).isEqualTo(archive);
  }

  @Test
  void withoutAnArchiveItSaysHowToGetOne() {
    assertThatThrownBy(() -> DemoImage.in(folder))
        .isInstanceOf(TestbedException.class)
        .hasMessageContaining("no " + folder.resolve("pitcrew-*-" + ARCHITECTURE + ".tar"))
        .hasMessageContaining("'make image' builds it");
    assertThatThrownBy(() -> DemoImage.in(folder.resolve("gone")))
        .isInstanceOf(TestbedException.class)
        .hasMessageContaining("'make image' builds it");
  }

  private Path archive(String name, long second) throws IOException {
    var archive = Files.writeString(folder.resolve(name), "");
    return Files.setLastModifiedTime(archive, FileTime.from(Instant.ofEpochSecond(second)));
  }
}
