package dev.pitcrew.hardware.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RootFolderTest {
  @TempDir Path folder = Path.of("");

  private Tree tree = new Tree(Path.of(""));

  @BeforeEach
  void aRootBesideASecret() throws IOException {
    Files.writeString(folder.resolve("secret"), "the host's");
    tree = new Tree(Files.createDirectory(folder.resolve("root")));
    tree.file("/usr/drv/libcuda.so.1")
        .link("/lib", "usr/drv")
        .link("/lib64", "/usr/drv")
        .link("/up", "../../../../usr/drv")
        .link("/usr/loop", "loop")
        .link("/out", "../secret")
        .link("/absolute", folder.resolve("secret").toString())
        .link("/dangling", "/usr/nothing");
  }

  private RootFolder root() {
    return new RootFolder(tree.root());
  }

  @ParameterizedTest
  @CsvSource({
    "/usr/drv/libcuda.so.1, /usr/drv/libcuda.so.1",
    "/lib/libcuda.so.1, /usr/drv/libcuda.so.1",
    "/lib64/libcuda.so.1, /usr/drv/libcuda.so.1",
    "/up/libcuda.so.1, /usr/drv/libcuda.so.1",
    "/usr/../lib/./libcuda.so.1, /usr/drv/libcuda.so.1",
    "/../../lib, /usr/drv",
    "/, /"
  })
  void linksAreFollowedAsIfTheProcessWereChrooted(String path, String real) {
    assertThat(root().resolve(path)).contains(real);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/out",
        "/absolute",
        "/dangling",
        "/usr/loop",
        "/../secret",
        "/usr/drv/libcuda.so.1/x"
      })
  void nothingLeadsOutOfTheRoot(String path) {
    assertThat(root().resolve(path)).isEmpty();
  }

  @Test
  void listingIsSortedAndKeepsTheNameOfTheFolderAsked() throws IOException {
    tree.file("/usr/drv/b.so").file("/usr/drv/a.so");
    assertThat(root().list("/lib64", name -> name.endsWith(".so")))
        .containsExactly("/lib64/a.so", "/lib64/b.so");
  }

  @Test
  void namesWithControlCharactersAreNotListed() throws IOException {
    tree.file("/etc/a\nb.so").file("/etc/c.so");
    assertThat(root().list("/etc", _ -> true)).containsExactly("/etc/c.so");
  }

  @Test
  void missingRoot_hasNoFiles() {
    assertThat(root().list("/nothing", _ -> true)).isEmpty();
    assertThat(root().smallText("/nothing")).isEmpty();
    assertThat(root().linkTarget("/nothing")).isEmpty();
    assertThat(root().isFile("/usr/drv")).isFalse();
    assertThat(root().isFolder("/usr/drv/libcuda.so.1")).isFalse();
  }
}
