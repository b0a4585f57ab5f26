package dev.pitcrew.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutEndTest {
  @ParameterizedTest
  @CsvSource({
    "done done, false, false, DONE",
    "'', false, false, DONE",
    "done waits, false, false, NONE",
    "done failed, false, false, STOPPED",
    "failed moves, false, false, NONE",
    "done waits, true, false, STOPPED",
    "moves waits, true, false, NONE",
    "done done, false, true, STOPPED",
  })
  void end(String nodes, boolean halted, boolean refused, RolloutEnd end) {
    List<RolloutEnd.Node> all =
        Arrays.stream(nodes.split(" ", -1))
            .filter(word -> !word.isEmpty())
            .map(word ->
                new RolloutEnd.Node(
                    word.equals("done"), word.equals("moves"), word.equals("failed")))
            .toList();

    assertThat(RolloutEnd.of(all, halted, refused)).isEqualTo(end);
  }

  @ParameterizedTest
  @CsvSource({
    "nvcr.io/nvidia/driver:580.159.04-ubuntu24.04, 580.159.04",
    "registry:5000/driver:580-6.8.0-40-generic-ubuntu24.04, 580",
    "nvcr.io/nvidia/driver@sha256:0123456789abcdef, sha256:0123456789ab",
    "nvcr.io/nvidia/driver:nightly, nightly",
    "'', ''",
  })
  void versionOfAnImage(String image, String version) {
    assertThat(DriverTag.version(image)).isEqualTo(version);
  }
}
