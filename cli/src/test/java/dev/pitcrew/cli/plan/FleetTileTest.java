package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FleetTileTest {
  /// `-` where it is not known how many are in use.
  @ParameterizedTest
  @CsvSource({
    "gpu-1 4,                     1111, 3",
    "gpu-1 4 Bad=NeedsReboot,     4111, 3",
    "gpu-1 2 Bad=Degraded,        21,   3",
    "gpu-1 2 Bad=Other,         61,   3",
    "gpu-1 4 Sharing=TimeSlicing, 1111, -",
  })
  void oneDigitAGpu(String node, String levels, String inUse) {
    FleetTile tile =
        FleetTile.of(
                List.of(Objects.gpuNode(node)),
                Optional.empty(),
                Optional.of(
                    new Holdings(
                        List.of(
                            Objects.pod("a", "gpu-1", "nvidia.com/gpu: 2", ""),
                            Objects.pod("b", "gpu-1", "nvidia.com/gpu: 1", "")))))
            .getFirst();

    assertThat(tile.levels()).isEqualTo(levels);
    assertThat(tile.inUse().map(String::valueOf).orElse("-")).isEqualTo(inUse);
    assertThat(tile.pods()).contains("/a", "/b");
  }
}
