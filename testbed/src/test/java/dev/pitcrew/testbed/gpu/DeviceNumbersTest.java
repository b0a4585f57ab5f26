package dev.pitcrew.testbed.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeviceNumbersTest {
  @Test
  void deviceNumbers_areTheUsualOnesWhereFree() {
    assertThat(DeviceNumbers.free("Character devices:\n  1 mem\n", 0))
        .isEqualTo(new DeviceNumbers(195, 510, 237));
  }

  @Test
  void deviceNumbers_changeWithALoad_exceptTheFixedOne() {
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

  /// As a real driver 580.159.04 is listed; the modeset module is loaded here.
  @Test
  void theNamesAreThoseOfTheDriverInTheOrderOfTheirNumbers() {
    var others = "Character devices:\n  1 mem\n254 ndctl\n\nBlock devices:\n  7 loop\n";

    assertThat(DeviceNumbers.free(others, 0).with(others, 580))
        .isEqualTo(
            """
            Character devices:
              1 mem
            195 nvidia
            195 nvidiactl
            195 nvidia-modeset
            234 nvidia-caps-imex-channels
            235 nvidia-nvlink
            236 nvidia-nvswitch
            237 nvidia-caps
            254 ndctl
            510 nvidia-uvm

            Block devices:
              7 loop
            """);
  }

  @Test
  void olderDriversHaveFewerNames() {
    var others = "Character devices:\n  1 mem\n";

    assertThat(DeviceNumbers.free(others, 0).with(others, 470))
        .contains("195 nvidia-frontend\n", "237 nvidia-caps\n")
        .doesNotContain("nvidiactl", "channels");
    assertThat(DeviceNumbers.free(others, 0).with(others, 535))
        .contains("195 nvidia\n", "195 nvidiactl\n")
        .doesNotContain("channels");
  }
}
