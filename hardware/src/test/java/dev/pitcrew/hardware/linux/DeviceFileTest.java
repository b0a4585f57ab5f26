package dev.pitcrew.hardware.linux;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceFileTest {
  @ParameterizedTest
  @CsvSource({"0xc300, 195, 0", "0xc3ff, 195, 255", "0x1fe00, 510, 0", "0x10ea3f, 234, 319"})
  void deviceNumbersAreTakenApartAsGlibcDoes(String device, int major, int minor) {
    assertThat(DeviceFile.major(Long.decode(device))).isEqualTo(major);
    assertThat(DeviceFile.minor(Long.decode(device))).isEqualTo(minor);
  }
}
