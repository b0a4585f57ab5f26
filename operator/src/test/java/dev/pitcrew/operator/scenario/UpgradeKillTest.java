package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.scenario.KillPoints.KillPoint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The operator is killed in the middle of each write of an upgrade in turn; the next one finishes
/// it, with no more nodes out of service and no cordon left, and is killed in the next upgrade.
class UpgradeKillTest extends UpgradeTest {
  // Test budget 200 s: each of its 15 kills costs the start of an operator and a part of an
  // upgrade.
  private static final List<Integer> FIRST_ONE = List.of(1);

  /// The writes of an upgrade of two nodes with a pod each, in the order in which the first of
  /// their sort comes.
  private static final SequencedMap<String, List<Integer>> POINTS = new LinkedHashMap<>();

  static {
    POINTS.put("update DaemonSet", FIRST_ONE);
    POINTS.put("update ClusterPolicy/status", FIRST_ONE);
    POINTS.put("update Node", List.of(1, 2, 3, 4, 5, 6, 7));
    POINTS.put("create Event", FIRST_ONE);
    POINTS.put("create Eviction", FIRST_ONE);
    POINTS.put("delete Pod", FIRST_ONE);
  }

  /// What is written beyond that where images are pulled first: the pod that pulls comes, and goes
  /// before the driver pod of the last node.
  private static final SequencedMap<String, List<Integer>> PREFLIGHT_POINTS = new LinkedHashMap<>();

  static {
    PREFLIGHT_POINTS.put("create Pod", FIRST_ONE);
    PREFLIGHT_POINTS.put("update Node", List.of(3));
    PREFLIGHT_POINTS.put("delete Pod", List.of(2));
  }

  @Override
  void enter() throws IOException, InterruptedException {
    scene.gate();
    install(2);
  }

  @BeforeEach
  void train() {
    training.start("trainer", 2);
  }

  @Test
  void theNextOperatorFinishesWhatAnotherBegan() throws IOException, InterruptedException {
    var counts = undisturbed("600.20.00");
    assertThat(counts.keySet()).isEqualTo(POINTS.keySet());
    var found = finishAfter(KillPoints.of(POINTS, counts), "600.20.%02d");
    assertThat(found)
        .as("states in which a node was left")
        .contains("upgrade-done", "pod-deletion-required", "pod-restart-required");
  }

  @Test
  void theNextOperatorKnowsWhatWasPulled() throws IOException, InterruptedException {
    policies.createWithoutAgent();
    policies.edit("{\"rollout\": {\"preflight\": true}}");
    var counts = undisturbed("600.21.00");
    var known = new TreeSet<>(POINTS.keySet());
    known.addAll(PREFLIGHT_POINTS.keySet());
    assertThat(counts.keySet()).isEqualTo(known);
    finishAfter(KillPoints.of(PREFLIGHT_POINTS, counts), "600.21.%02d");
  }

  /// How many writes of each sort an upgrade takes. The progress on a FleetPolicy is not counted:
  /// it is written once in five seconds, and a fast upgrade has none to write then.
  private Map<String, Integer> undisturbed(String version) throws InterruptedException {
    scene.settle();
    scene.gate().forget();
    want(version);
    fleet.awaitDriver(version);
    scene.settle();
    var counts = scene.gate().counts();
    counts.remove("update FleetPolicy/status");
    System.out.println("an undisturbed upgrade: " + counts);
    return counts;
  }

  /// @return all states in which a killed operator left nodes
  private Set<String> finishAfter(List<KillPoint> points, String versions)
      throws IOException, InterruptedException {
    var lines = new ArrayList<String>();
    var states = new TreeSet<String>();
    for (int i = 0; i < points.size(); i++) {
      var point = points.get(i);
      var version = versions.formatted(i + 1);
      scene.settle();
      var held = scene.gate().hold(point.sort(), point.number());
      want(version);
      scene.killWhile(held, point.lands());
      var found = fleet.states();
      states.addAll(found.values());
      scene.start(Launch.PLAIN);
      fleet.awaitDriver(version);

      fleet.assertClean();
      lines.add("%-45s left %s; both have %s".formatted(point, found, version));
    }
    assertThat(fleet.mostCordoned()).isEqualTo(1);
    System.out.println("killed in the middle of\n" + String.join("\n", lines));
    return states;
  }

  private void want(String version) {
    scene.policy().edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));
  }
}
