package dev.pitcrew.testbed.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeviceNumbersTest {
  @Test
  void theyAreTheUsualOnesWhereNobodyElseHasThem() {
    assertThat(DeviceNumbers.free("Character devices:\n  1 mem\n", 0))
        .isEqualTo(new DeviceNumbers(195, 510, 237));
  }

  @Test
  void theyChangeWithALoadButTheOneThatLinuxKeeps() {
    assertThat(DeviceNumbers.free("Character devices:\n509 aux\n", 1))
        .isEqualTo(new DeviceNumbers(195, 508, 236));
  }

  @Test
  void thoseOfOtherDriversAreLeftAlone() {
    assertThat(
            DeviceNumbers.free(
                "Character devices:\n510 aux\n509 cec\n237 hidraw\n\nBlock devices:\n508 mmc\n", 0))
        .isEqualTo(new DeviceNumbers(195, 508, 236));
  }
}
