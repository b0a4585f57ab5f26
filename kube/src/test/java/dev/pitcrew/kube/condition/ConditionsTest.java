package dev.pitcrew.kube.condition;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionsTest {

  private static final String BEFORE = "2026-01-01T00:00:00Z";
  private static final Instant NOW = Instant.parse("2026-01-02T00:00:00.123Z");
  private static final String AFTER = "2026-01-02T00:00:00Z";

  @ParameterizedTest
  @CsvSource({
    "True, A, x, True, A, x, " + BEFORE,
    "True, A, x, True, B, y, " + BEFORE,
    "True, A, x, False, A, x, " + AFTER,
    "Unknown, A, x, True, A, x, " + AFTER,
  })
  void timeChangesOnlyWithTheStatus(
      String status,
      String reason,
      String message,
      String newStatus,
      String newReason,
      String newMessage,
      String time) {
    List<Condition> existing =
        List.of(at(BEFORE, Conditions.of("Ready", status, reason, message, 1)));
    List<Condition> merged =
        Conditions.merge(
            existing, List.of(Conditions.of("Ready", newStatus, newReason, newMessage, 2)), NOW);
    assertThat(merged)
        .containsExactly(at(time, Conditions.of("Ready", newStatus, newReason, newMessage, 2)));
  }

  @Test
  void newTypesComeLastWithTheTimeOfNow() {
    Condition foreign = at(BEFORE, Conditions.of("Foreign", "True", "F", "", 1));
    List<Condition> merged =
        Conditions.merge(
            List.of(foreign), List.of(Conditions.of("Ready", "True", "R", "", 1)), NOW);
    assertThat(merged)
        .containsExactly(foreign, at(AFTER, Conditions.of("Ready", "True", "R", "", 1)));
  }

  @Test
  void onlyTimeAndOrderAreIgnoredWhenComparing() {
    Condition ready = Conditions.of("Ready", "True", "R", "m", 1);
    Condition error = Conditions.of("Error", "False", "R", "m", 1);
    assertThat(
            Conditions.sameIgnoringTime(
                List.of(at(BEFORE, ready), error), List.of(error, at(AFTER, ready))))
        .isTrue();
    assertThat(
            Conditions.sameIgnoringTime(
                List.of(ready), List.of(Conditions.of("Ready", "True", "R", "m", 2))))
        .isFalse();
    assertThat(Conditions.sameIgnoringTime(List.of(ready), List.of(ready, error))).isFalse();
  }

  private static Condition at(String time, Condition condition) {
    return new ConditionBuilder(condition).withLastTransitionTime(time).build();
  }
}
