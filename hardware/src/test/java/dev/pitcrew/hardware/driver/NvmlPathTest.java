package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.hardware.HostRoot;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// NVML is found below a driver root wherever the libraries of containers are.
class NvmlPathTest {
  private static final String NAME = "libnvidia-ml.so.1";
  private static final String FULL = "libnvidia-ml.so.580.95.05";

  @TempDir Path folder;
  private Tree tree;

  @BeforeEach
  void make() {
    tree = new Tree(folder);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/usr/lib64",
        "/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu/nvidia/current",
        "/lib/aarch64-linux-gnu/nvidia/current",
      })
  void usualFoldersNeedNoCache(String at) throws IOException {
    tree.file(at + "/" + FULL).link(at + "/" + NAME, FULL);

    assertThat(found()).isEqualTo(folder + at + "/" + FULL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/usr/lib", "/opt/nvidia/lib"})
  void anyOtherFolderIsTheOneOfTheCache(String at) throws IOException {
    tree.file(at + "/" + FULL).link(at + "/" + NAME, FULL);
    assertThat(found()).isEqualTo(NAME);

    tree.file("/etc/ld.so.cache", LibraryCacheTest.cache(0x0303, NAME, at + "/" + NAME));

    assertThat(found()).isEqualTo(folder + at + "/" + FULL);
  }

  @Test
  void linksStayInTheRoot() throws IOException {
    tree.file("/nix/store/nvidia/lib/" + FULL)
        .link("/usr/lib64/" + NAME, "/nix/store/nvidia/lib/" + FULL)
        .link("/usr/lib/x86_64-linux-gnu/" + NAME, "../../../../../../../../nix/store/none");

    assertThat(found()).isEqualTo(folder + "/nix/store/nvidia/lib/" + FULL);
  }

  @Test
  void aFolderOfThatNameIsNoLibrary() throws IOException {
    tree.folder("/usr/lib64/" + NAME);

    assertThat(found()).isEqualTo(NAME);
  }

  @Test
  void theDynamicLinkerKnowsThatOfTheOwnRoot() {
    assertThat(NvmlPath.in(new HostRoot(Path.of("/")))).isEqualTo(NAME);
  }

  private String found() {
    return NvmlPath.in(tree.root());
  }
}
