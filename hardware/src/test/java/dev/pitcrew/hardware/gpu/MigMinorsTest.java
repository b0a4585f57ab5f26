package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigPlace;
import org.junit.jupiter.api.Test;

class MigMinorsTest {
  private static final String FILE =
      """
      config 1
      monitor 2
      gpu0/gi0/access 3
      gpu0/gi0/ci0/access 4
      gpu1/gi2/access 156
      what is this
      gpu1/gi2/ci1/access x
      """;

  @Test
  void bothFilesOfAnInstanceAreFound() {
    assertThat(MigMinors.parse(FILE).of(0, new MigPlace(0, 0))).contains(new MigCapabilities(3, 4));
  }

  @Test
  void oneFileIsNotEnough() {
    assertThat(MigMinors.parse(FILE).of(1, new MigPlace(2, 1))).isEmpty();
    assertThat(MigMinors.parse("").of(0, new MigPlace(0, 0))).isEmpty();
  }
}
