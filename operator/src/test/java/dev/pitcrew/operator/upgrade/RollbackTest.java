package dev.pitcrew.operator.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RollbackTest {
  private static final Rollback ROLLBACK = new Rollback("22", "11", "node a failed: no module");

  @Test
  void annotation_isRead() {
    assertThat(noted(ROLLBACK.text())).contains(ROLLBACK);
    assertThat(noted(ROLLBACK.keeping("").text())).contains(ROLLBACK.keeping(""));
    assertThat(Rollback.of(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "22", "22 11", "  ", "\n"})
  void annotationOfAnotherWriter_isIgnored(String text) {
    assertThat(noted(text)).isEmpty();
  }

  @ParameterizedTest(name = "{3}")
  @CsvSource({
    "33, 22, true, another driver that failed",
    "22, 11, false, the same once more",
    "11, '', false, what was come back to fails as well",
  })
  void driver_isRolledBackOnce_andNotToAndFro(
      String rejected, String kept, boolean follows, String why) {
    assertThat(new Rollback(rejected, kept, why).follows(Optional.of(ROLLBACK))).isEqualTo(follows);
  }

  @Test
  void firstDriver_isRolledBack() {
    assertThat(ROLLBACK.follows(Optional.empty())).isTrue();
  }

  private static Optional<Rollback> noted(String text) {
    return Rollback.of(Map.of(Rollback.ANNOTATION, text));
  }
}
