package dev.pitcrew.hardware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostRootTest {
  @TempDir Path folder;
  private HostRoot root = new HostRoot(Path.of("/"));

  @BeforeEach
  void createFolder() throws IOException {
    Files.createDirectories(folder.resolve("etc"));
    Files.createDirectories(folder.resolve("usr/lib"));
    Files.writeString(folder.resolve("usr/lib/os-release"), "ID=pit\n");
    root = new HostRoot(folder);
  }

  @Test
  void absoluteLinksStayInside() throws IOException {
    link("etc/os-release", "/usr/lib/os-release");

    assertThat(root.resolve("/etc/os-release")).isEqualTo(folder.resolve("usr/lib/os-release"));
    assertThat(root.text("/etc/os-release")).contains("ID=pit");
  }

  @Test
  void linksToFoldersAreFollowedOnTheWay() throws IOException {
    link("lib", "usr/lib");
    link("usr/lib/again", "../lib");

    assertThat(root.text("/lib/again/os-release")).contains("ID=pit");
  }

  @Test
  void dotsNeverLeaveTheRoot() throws IOException {
    link("etc/out", "../../../../../../usr");

    assertThat(root.resolve("/../../etc")).isEqualTo(folder.resolve("etc"));
    assertThat(root.resolve("/etc/out/lib")).isEqualTo(folder.resolve("usr/lib"));
  }

  @Test
  void missingFile_keepsItsPath() throws IOException {
    assertThat(root.resolve("/var/run/cdi")).isEqualTo(folder.resolve("var/run/cdi"));
    assertThat(root.exists("/var/run/cdi")).isFalse();
    assertThat(root.text("/var/run/cdi")).isEmpty();
    assertThat(root.names("/var/run/cdi")).isEmpty();
  }

  @Test
  void circlesAreRefused() throws IOException {
    link("etc/one", "two");
    link("etc/two", "one");

    assertThatThrownBy(() -> root.resolve("/etc/one")).isInstanceOf(FileSystemLoopException.class);
    assertThat(root.exists("/etc/one")).isFalse();
  }

  @Test
  void theLinkItselfCanBeAskedFor() throws IOException {
    link("etc/driver", "../bus/drivers/nvidia");

    assertThat(root.resolveLink("/etc/driver")).isEqualTo(folder.resolve("etc/driver"));
    assertThat(root.linkTargetName("/etc/driver")).contains("nvidia");
    assertThat(root.linkTargetName("/etc")).isEmpty();
  }

  @Test
  void pathsAreNamedAsTheHostNamesThem() throws IOException {
    assertThat(root.hostPath(root.resolve("/usr/lib"))).isEqualTo("/usr/lib");
    assertThat(root.below("/usr").hostPath(folder.resolve("usr/lib"))).isEqualTo("/lib");
    assertThat(new HostRoot(Path.of("/")).isOwnRoot()).isTrue();
    assertThat(root.isOwnRoot()).isFalse();
  }

  private void link(String name, String target) throws IOException {
    Files.createSymbolicLink(folder.resolve(name), Path.of(target));
  }
}
