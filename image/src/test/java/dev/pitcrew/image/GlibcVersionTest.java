package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GlibcVersionTest {
  @Test
  void theNewestIsTheLargestByNumber() {
    var output =
        """
        Version needs section '.gnu.version_r' contains 2 entries:
          000000: Version: 1  File: libdl.so.2  Cnt: 1
          0x0010:   Name: GLIBC_2.2.5  Flags: none  Version: 5
          000020: Version: 1  File: libc.so.6  Cnt: 3
          0x0030:   Name: GLIBC_2.14  Flags: none  Version: 6
          0x0040:   Name: GLIBC_2.4  Flags: none  Version: 4
        """;

    assertThat(GlibcVersion.newest(output)).contains(new GlibcVersion(2, 14));
  }

  @Test
  void aStaticProgramNeedsNone() {
    assertThat(GlibcVersion.newest("No version information found in this file.\n")).isEmpty();
  }
}
