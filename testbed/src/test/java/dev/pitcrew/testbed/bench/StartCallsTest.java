package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartCallsTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final StartCalls calls =
      StartCalls.of(
          List.of(
              call(1, "apps/daemonsets", "a", 201),
              call(2, "apps/daemonsets", "b", 201),
              call(9, "apps/daemonsets", "a", 200),
              call(3, "nodes", "n1", 200),
              call(4, "nodes", "n2", 409),
              call(5, "nodes", "n2", 200),
              call(8, "nodes", "n1", 200)));

  @Test
  void aDaemonSetIsAppliedWhenItIsCreated() {
    assertThat(calls.applied(START)).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void aNodeIsLabelledByItsFirstPatchThatSucceeds() {
    assertThat(calls.allLabelled(START)).isEqualTo(Duration.ofSeconds(5));
    assertThat(calls.end(START)).isEqualTo(START.plusSeconds(5));
  }

  @Test
  void theStartIsOverWhenAllNodesAreLabelledAndNoDaemonSetComesAnyMore() {
    assertThat(calls.isComplete(3, START.plusSeconds(60))).isFalse();
    assertThat(calls.isComplete(2, START.plusSeconds(2))).isFalse();
    assertThat(calls.isComplete(2, START.plusSeconds(3))).isTrue();
  }

  private static Request call(int second, String resource, String name, int status) {
    var moment = START.plusSeconds(second);
    return new Request(moment, moment, "u", "a", "patch", resource, "", name, status);
  }
}
