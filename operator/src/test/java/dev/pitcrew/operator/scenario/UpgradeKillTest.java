package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The operator is killed right after each write of an upgrade in turn; the next one finishes it,
/// with no more nodes out of service and no cordon left.
class UpgradeKillTest extends UpgradeTest {
  private static final int KILLED = 137;

  /// Each write of an upgrade of two nodes with a pod each: states, cordons, evictions, driver
  /// pods.
  private static final List<String> POINTS =
      List.of(
          "patch:Node:1",
          "patch:Node:2",
          "evict:Pod:1",
          "patch:Node:3",
          "delete:Pod:1",
          "patch:Node:4",
          "patch:Node:5",
          "evict:Pod:2",
          "patch:Node:6",
          "delete:Pod:2",
          "patch:Node:7");

  /// What is written beyond that where images are pulled first: the pod that pulls comes, and goes
  /// before the driver pod of the last node.
  private static final List<String> PREFLIGHT_POINTS =
      List.of("apply:Pod:1", "patch:Node:3", "delete:Pod:2");

  @Override
  void enter() throws IOException, InterruptedException {
    install(2);
  }

  @BeforeEach
  void stop() {
    training.start("trainer", 2);
    scene.stopOperators();
  }

  @Test
  void theNextOperatorFinishesWhatAnotherBegan() throws IOException, InterruptedException {
    finishAfter(POINTS, "600.20.%02d");
  }

  @Test
  void theNextOperatorKnowsWhatWasPulled() throws IOException, InterruptedException {
    policies.create();
    policies.edit("{\"agent\": {\"enabled\": false}, \"rollout\": {\"preflight\": true}}");
    finishAfter(PREFLIGHT_POINTS, "600.21.%02d");
  }

  private void finishAfter(List<String> points, String versions)
      throws IOException, InterruptedException {
    var lines = new ArrayList<String>();
    for (int i = 0; i < points.size(); i++) {
      var version = versions.formatted(i);
      scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));

      var killed = scene.begin(Launch.killedAfter(points.get(i)));
      assertThat(killed.awaitEnd(UpgradeFleet.LIMIT)).as(points.get(i)).hasValue(KILLED);
      Map<String, String> found = fleet.states();
      scene.start(Launch.PLAIN);
      fleet.awaitDriver(version);

      fleet.assertClean();
      lines.add("%-14s left %s; both have %s".formatted(points.get(i), found, version));
      scene.stopOperators();
    }
    assertThat(fleet.mostCordoned()).isEqualTo(1);
    System.out.println("killed after\n" + String.join("\n", lines));
  }
}
