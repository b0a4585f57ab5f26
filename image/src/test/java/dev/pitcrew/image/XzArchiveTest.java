package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.image.Layer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class XzArchiveTest {
  @TempDir Path folder;

  @Test
  void holdsEveryFileAsRootsFromTheEpoch() throws IOException {
    var file = folder.resolve("a.tar.xz");
    new XzArchive(file, Integer.MAX_VALUE).write(layer());

    var list =
        CommandRun.of(List.of("tar", "--utc", "--numeric-owner", "-tvJf", file.toString()), folder);

    assertThat(list.output().lines())
        .containsExactly(
            "drwxr-xr-x 0/0               0 1970-01-01 00:00 top/",
            "-rw-r--r-- 0/0               6 1970-01-01 00:00 top/a file");
  }

  @Test
  void archiveOverTheLimit_isNotKept() throws IOException {
    var file = folder.resolve("a.tar.xz");
    var archive = new XzArchive(file, 10);
    var layer = layer();

    assertThatThrownBy(() -> archive.write(layer))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("a.tar.xz would have ")
        .hasMessageContaining(" of 10 that it may have");
    assertThat(folder).isDirectoryNotContaining("glob:**.{xz,partial}");
  }

  private Layer layer() throws IOException {
    var source = Files.createDirectories(folder.resolve("source"));
    Files.writeString(source.resolve("a file"), "hello\n");
    return Layer.titled("top").withTree("/top", source);
  }
}
