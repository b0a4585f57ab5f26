package dev.pitcrew.agent.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XidPolicyTest {

  @ParameterizedTest(name = "disabled ''{0}'', enabled ''{1}'': Xid {2} is critical: {3}")
  @CsvSource(
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "'','',79,true",
        "'','',13,false",
        "'','',109,false",
        "79,'',79,false",
        "79,'',48,true",
        "all,'',79,false",
        "XIDS,'',79,false",
        "all,79,79,true",
        "all,79,48,false",
        "'',all,13,true",
        "'',13,13,true",
        "'',13,31,false",
        "11,11,11,true",
        "' 79 , 48,nonsense','',48,false",
        "all,all,5,true",
      })
  void xidThatIsEnabledByNumber_overridesTheRest(
      String disabled, String enabled, long xid, boolean isCritical) {
    assertThat(XidPolicy.of(disabled, enabled).isCritical(xid)).isEqualTo(isCritical);
  }

  @Test
  void oneEnabledXidIsEnoughToWatch() {
    assertThat(XidPolicy.of("all", "").isWatching()).isFalse();
    assertThat(XidPolicy.of("all", "79").isWatching()).isTrue();
    assertThat(XidPolicy.DEFAULT.isWatching()).isTrue();
  }

  @Test
  void itemsThatCannotBeReadAreNamed() {
    assertThat(XidPolicy.of("79,what,", "-1").malformed()).containsExactly("what", "-1");
  }
}
