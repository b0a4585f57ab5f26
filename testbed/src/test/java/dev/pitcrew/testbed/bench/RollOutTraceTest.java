package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.bench.RollOutTrace.Fleet;
import dev.pitcrew.testbed.bench.RollOutTrace.Step;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RollOutTraceTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final String OPERATOR = "operator";
  private static final String KWOK = "kwok";

  private final List<Request> requests = new ArrayList<>();

  @Test
  void aWriteIsCountedFromTheRequestAboutItsNodeThatWasAnsweredLast() {
    upgrade();

    var node = trace().getFirst();
    assertThat(node.steps())
        .extracting(Step::name)
        .containsExactly(
            "pod-deletion-required",
            "pod evicted",
            "pod-restart-required",
            "driver pod deleted",
            "validation-required",
            "upgrade-done");
    assertThat(node.steps().stream().map(Step::gap).map(Duration::toMillis))
        .containsExactly(14L, 9L, 19L, 4L, 29L, 39L);
    assertThat(node.overhead()).isEqualTo(Duration.ofMillis(114));
  }

  @Test
  void requestForAnotherNode_orAFailedOne_isNoCause() {
    upgrade();
    request(KWOK, "delete", "pods", "team/elsewhere", 139, 200);
    request(KWOK, "patch", "nodes/status", "gpu-1", 139, 200);
    request(OPERATOR, "patch", "pitcrew.dev/gpunodes/status", "gpu-1", 139, 200);
    request("agent", "patch", "pitcrew.dev/gpunodes/status", "gpu-1", 139, 409);

    assertThat(trace().getFirst().overhead()).isEqualTo(Duration.ofMillis(114));
  }

  @Test
  void aNodeThatHadToWaitIsCountedFromTheEndOfTheOneWhosePlaceItGot() {
    upgrade();
    request(OPERATOR, "patch", "nodes", "gpu-2", 21, 200); // gets the answer to wait
    request(OPERATOR, "patch", "nodes", "gpu-2", 251, 200);
    request(OPERATOR, "patch", "nodes", "gpu-2", 261, 200);

    var second = trace().getLast();
    assertThat(second.name()).isEqualTo("gpu-2");
    assertThat(second.marked()).contains(START.plusMillis(22));
    assertThat(second.steps().getFirst().gap()).isEqualTo(Duration.ofMillis(51));
    assertThat(second.underWay()).isEqualTo(Duration.ofMillis(11));
  }

  /// The node gpu-1, with one pod of a user; each request takes a millisecond.
  private void upgrade() {
    request(OPERATOR, "patch", "apps/daemonsets", "nvidia-driver-daemonset", 5, 200);
    request(OPERATOR, "patch", "nodes", "gpu-1", 20, 200);
    request(OPERATOR, "create", "pods/eviction", "team/train", 30, 201);
    request(KWOK, "delete", "pods", "team/train", 40, 200);
    request(OPERATOR, "patch", "nodes", "gpu-1", 60, 200);
    request(OPERATOR, "delete", "pods", "gpu/driver-a", 65, 200);
    request(KWOK, "delete", "pods", "gpu/driver-a", 70, 200);
    request("scheduler", "create", "pods/binding", "gpu/driver-b", 90, 201);
    request(KWOK, "patch", "pods/status", "gpu/driver-b", 100, 200);
    request(OPERATOR, "patch", "nodes", "gpu-1", 130, 200);
    request("agent", "patch", "pitcrew.dev/gpunodes/status", "gpu-1", 159, 200);
    request(OPERATOR, "patch", "nodes", "gpu-1", 199, 200);
  }

  private List<RollOutTrace.Node> trace() {
    var pods =
        Map.of(
            "team/train", "gpu-1",
            "gpu/driver-a", "gpu-1",
            "gpu/driver-b", "gpu-1",
            "team/elsewhere", "gpu-2");
    var states =
        Map.of(
            "gpu-1",
            List.of(
                "pod-deletion-required",
                "pod-restart-required",
                "validation-required",
                "upgrade-done"),
            "gpu-2",
            List.of("upgrade-required", "pod-deletion-required", "upgrade-done"));
    return RollOutTrace.of(new Fleet(OPERATOR, pods, states), requests, 1);
  }

  private void request(
      String user, String verb, String resource, String name, int millis, int status) {
    var received = START.plusMillis(millis);
    var slash = name.indexOf('/');
    requests.add(
        new Request(
            received,
            received.plusMillis(1),
            user,
            "",
            verb,
            resource,
            slash < 0 ? "" : name.substring(0, slash),
            name.substring(slash + 1),
            status));
  }
}
