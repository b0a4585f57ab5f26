package dev.pitcrew.kube.apply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.kube.ObjectKey;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KillPointTest {

  private static final Write APPLY = write(Verb.APPLY, "DaemonSet");

  @Test
  void onlyTheChosenWriteReachesIt() {
    KillPoint point =
        KillPoint.from(Map.of("PITCREW_KILL_AFTER", "apply:DaemonSet:2")).orElseThrow();
    assertThat(point.isReachedBy(APPLY)).isFalse();
    assertThat(point.isReachedBy(write(Verb.PATCH, "DaemonSet"))).isFalse();
    assertThat(point.isReachedBy(write(Verb.APPLY, "Service"))).isFalse();
    assertThat(point.isReachedBy(APPLY)).isTrue();
    assertThat(point.isReachedBy(APPLY)).isFalse();
  }

  @Test
  void withoutTheVariableThereIsNone() {
    assertThat(KillPoint.from(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "apply",
        "apply:DaemonSet",
        "apply:DaemonSet:0",
        "apply:DaemonSet:x",
        "a:b:1:2"
      })
  void aMisspeltOneIsAnError(String text) {
    assertThatThrownBy(() -> KillPoint.from(Map.of("PITCREW_KILL_AFTER", text)))
        .hasMessage(
            "PITCREW_KILL_AFTER=" + text + ": write <verb>:<kind>:<n>, such as apply:DaemonSet:2");
  }

  private static Write write(Verb verb, String kind) {
    return new Write(verb, new ObjectKey("apps", kind, "gpu-operator", "x"));
  }
}
