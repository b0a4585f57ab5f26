package dev.pitcrew.agent.driver.plan;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
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

  @Property
  void leavesNoTrace(@ForAll @AlphaChars @Chars({'-', '.'}) @StringLength(max = 30) String value) {
    assertThat(PauseWord.resumed(PauseWord.paused(value))).isEqualTo(value);
  }
}
