package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CdiHookTest {
  @TempDir private Path folder;

  @Test
  void theProgramIsBroughtOnceAndAgainWhenItIsAnother() throws IOException {
    Path program = program("one");

    Path installed = Path.of(CdiHook.install(program, folder.resolve("state")).orElseThrow());
    assertThat(installed).hasContent("one").isExecutable();
    var first = Files.getLastModifiedTime(installed);

    CdiHook.install(program, folder.resolve("state"));
    assertThat(Files.getLastModifiedTime(installed)).isEqualTo(first);

    CdiHook.install(program("another"), folder.resolve("state"));
    assertThat(installed).hasContent("another").isExecutable();
    assertThat(installed.resolveSibling(".")).isDirectoryNotContaining("glob:**/.hook*");
  }

  @Test
  void withoutAProgramOrRoomThereIsNone() throws IOException {
    assertThat(CdiHook.install(folder.resolve("missing"), folder)).isEmpty();
    Path file = Files.writeString(folder.resolve("file"), "no folder");
    assertThat(CdiHook.install(program("one"), file)).isEmpty();
  }

  private Path program(String text) throws IOException {
    Path program = Files.writeString(folder.resolve("hook"), text);
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
