package dev.pitcrew.core.names;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PauseWordTest {
  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "false, false",
    "true, paused-for-driver-upgrade",
    "custom, custom_paused-for-driver-upgrade",
    "paused-for-driver-upgrade, paused-for-driver-upgrade",
    "custom_paused-for-driver-upgrade, custom_paused-for-driver-upgrade",
    "paused-for-mig-change, paused-for-mig-change_paused-for-driver-upgrade"
  })
  void isAddedOnce(String value, String paused) {
    assertThat(PauseWord.paused(value)).isEqualTo(paused);
  }

  @ParameterizedTest
  @CsvSource({
    "'', ''",
    "false, false",
    "true, true",
    "paused-for-driver-upgrade, true",
    "custom_paused-for-driver-upgrade, custom",
    "false_paused-for-driver-upgrade, false",
    "paused-for-driver-upgrade_custom, custom",
    "paused-for-mig-change_paused-for-driver-upgrade, paused-for-mig-change",
    "_own_, _own_"
  })
  void isTakenAwayAgain(String value, String resumed) {
    assertThat(PauseWord.resumed(value)).isEqualTo(resumed);
  }
}
