package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SystemLibrariesTest {
  @Test
  void lddNamesLibrariesAndTheLinker() {
    var output =
        """
        	linux-vdso.so.1 (0x00007ffd)
        	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f01)
        	/lib64/ld-linux-x86-64.so.2 (0x00007f02)
        """;

    assertThat(SystemLibraries.paths(output))
        .containsExactly(
            Path.of("/lib/x86_64-linux-gnu/libc.so.6"), Path.of("/lib64/ld-linux-x86-64.so.2"));
  }

  @Test
  void aStaticProgramNeedsNothing() {
    assertThat(SystemLibraries.paths("\tstatically linked\n")).isEmpty();
  }
}
