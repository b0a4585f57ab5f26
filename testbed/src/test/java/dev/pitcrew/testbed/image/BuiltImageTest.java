package dev.pitcrew.testbed.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuiltImageTest {
  @TempDir private Path rootfs;

  @Test
  void folderWithoutRuntime_isRefusedWithTheRemedy() {
    assertThatThrownBy(() -> BuiltImage.in(rootfs))
        .isInstanceOf(TestbedException.class)
        .hasMessageContaining(rootfs.toString())
        .hasMessageContaining("make image");
  }

  @Test
  void classPath_isInTheOrderOfTheLauncher() throws IOException {
    add("lib/shared/a.jar", "lib/operator/z.jar", "lib/operator/b.jar", "lib/operator/notes.txt");

    var home = rootfs.resolve("opt/pitcrew/lib");
    assertThat(image().classPath("operator").split(":", -1))
        .containsExactly(
            home + "/operator/b.jar", home + "/operator/z.jar", home + "/shared/a.jar");
  }

  @Test
  void cacheFlag_namesTheCacheOfTheProgramIfThereIsOne() throws IOException {
    add("aot/agent-12.aot", "aot/agent-12.aot.config");

    var image = image();
    assertThat(image.cacheFlag("agent"))
        .containsExactly("-XX:AOTCache=" + rootfs.resolve("opt/pitcrew/aot/agent-12.aot"));
    assertThat(image.cacheFlag("operator")).isEmpty();
  }

  private BuiltImage image() throws IOException {
    add("jre/bin/java");
    assertThat(rootfs.resolve("opt/pitcrew/jre/bin/java").toFile().setExecutable(true)).isTrue();
    return BuiltImage.in(rootfs);
  }

  private void add(String... files) throws IOException {
    for (String file : files) {
      Path path = rootfs.resolve("opt/pitcrew").resolve(file);
      Files.createDirectories(path.getParent());
      Files.createFile(path);
    }
  }
}
