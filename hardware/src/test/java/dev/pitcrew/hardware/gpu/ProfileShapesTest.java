package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.hardware.nvml.GpuInstanceProfile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfileShapesTest {
  private static final long A100_BYTES = 40960L << 20;

  @ParameterizedTest
  @CsvSource({
    "0, 0, 4864, 1g.5gb",
    "7, 0, 4864, 1g.5gb+me",
    "9, 0, 9856, 1g.10gb",
    "2, 1, 19968, 2c.3g.20gb",
    "4, 8, 40192, 7g.40gb",
    "10, 0, 4864, 1g.5gb+gfx",
    "13, 0, 4864, 1g.5gb-me",
    "16, 1, 9856, 2g.10gb+me.all",
    "17, 2, 19968, 3g.20gb+gfx"
  })
  void shapesAreNamed(int gpu, int compute, long memoryMiB, String name) {
    assertThat(ProfileShapes.shape(gpu, compute, memoryMiB, A100_BYTES).map(MigProfile::name))
        .contains(name);
  }

  @Test
  void newerConstantsHaveNoShape() {
    assertThat(ProfileShapes.shape(18, 0, 1, A100_BYTES)).isEmpty();
    assertThat(ProfileShapes.shape(0, 9, 1, A100_BYTES)).isEmpty();
  }

  @Test
  void partsOfAnInstanceAreAtMostHalfOfIt() {
    var profiles =
        List.of(
            new GpuInstanceProfile(
                2,
                9,
                new MigAttributes(42, 3, 3, new MigAttributes.Engines(3, 2, 0, 0, 0), 19968)));

    assertThat(ProfileShapes.supported(profiles, A100_BYTES).stream().map(MigProfile::name))
        .containsExactlyInAnyOrder("3g.20gb", "2c.3g.20gb", "1c.3g.20gb");
  }
}
