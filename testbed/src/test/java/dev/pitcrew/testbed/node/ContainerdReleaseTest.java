package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.binaries.Binary;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ContainerdReleaseTest {
  @ParameterizedTest
  @EnumSource
  void aNodeHasEachProgramOnceWhateverItsContainerd(ContainerdRelease release) {
    assertThat(release.programs())
        .extracting(Binary::command)
        .containsExactlyInAnyOrderElementsOf(
            Binary.FOR_REAL_NODES.stream().map(Binary::command).collect(Collectors.toList()));
  }

  @ParameterizedTest
  @EnumSource
  void itsProgramsAreAllOfThatRelease(ContainerdRelease release) {
    assertThat(release.programs())
        .filteredOn(program -> program.command().matches("containerd.*|ctr"))
        .hasSize(3)
        .allMatch(program -> program.version().startsWith(start(release)));
  }

  private static String start(ContainerdRelease release) {
    return switch (release) {
      case V2 -> "2.";
      case V1_7 -> "1.7.";
    };
  }
}
