package dev.pitcrew.operator.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.Forecast.Expected;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/// The forecast is the plan itself, played forward.
class ForecastTest {
  private static final String ONE = "{autoUpgrade: true, maxParallelUpgrades: 1}";
  private static final String TWO =
      "{autoUpgrade: true, maxParallelUpgrades: 2, maxUnavailable: '100%'}";

  @Test
  void nodesBeginAsManyAtOnceAsMay() {
    Forecast forecast = Forecast.of(fleet(5, TWO, "").view());

    assertThat(batches(forecast))
        .containsExactly("gpu-00 1", "gpu-01 1", "gpu-02 2", "gpu-03 2", "gpu-04 3");
    assertThat(forecast.batches()).isEqualTo(3);
    assertThat(forecast.nodes().getFirst().waiting()).isEqualTo(Waiting.NONE);
    assertThat(forecast.nodes().get(2).waiting().blocker())
        .isEqualTo("2 of at most 2 nodes are under way");
  }

  @Test
  void aCanaryGoesFirstAndOthersWaitUntilItHasSoaked() {
    ModelFleet fleet =
        fleet(
            3,
            TWO,
            "{canary: {nodes: 1, soakSeconds: 600}, waves: [{name: staging, nodeSelector: {env: staging}, soakSeconds: 60}]}");
    fleet.node("gpu-02").labels.put("env", "staging");

    Forecast forecast = Forecast.of(fleet.view());

    assertThat(forecast.nodes())
        .extracting(it -> it.node().name() + " " + it.group())
        .containsExactly("gpu-02 canary", "gpu-00 rest", "gpu-01 rest");
    assertThat(forecast.nodes().get(1).at()).contains(fleet.now.plus(Duration.ofMinutes(10)));
    assertThat(forecast.nodes().get(1).waiting().blocker()).contains("the canary of 1");
  }

  @Test
  void aWindowSaysWhenItOpens() {
    ModelFleet fleet =
        fleet(1, ONE, "{maintenanceWindows: [{start: '22:30', durationMinutes: 60}]}");

    Expected node = Forecast.of(fleet.view()).nodes().getFirst();

    assertThat(node.batch()).contains(1);
    assertThat(node.at().orElseThrow()).hasToString("2026-11-22T22:30:00Z");
    assertThat(node.waiting().blocker()).contains("no maintenance window is open");
  }

  @Test
  void skippedHaltedOrPausedNode_doesNotBegin() {
    ModelFleet fleet = fleet(2, ONE, "");
    fleet.node("gpu-00").labels.put("nvidia.com/gpu-driver-upgrade.skip", "true");

    assertThat(batches(Forecast.of(fleet.view()))).containsExactly("gpu-01 1", "gpu-00 never");
    assertThat(batches(Forecast.of(fleet(2, ONE, "{paused: true}").view())))
        .containsExactly("gpu-00 never", "gpu-01 never");
  }

  @Test
  void aNodeThatFailedNeverBeginsAndOneThatHasTheDriverIsNotListed() {
    ModelFleet fleet = fleet(3, ONE, "");
    fleet.node("gpu-00").labels.put("nvidia.com/gpu-driver-upgrade-state", "upgrade-failed");
    fleet.node("gpu-00").annotations.put(UpgradeMarks.FAILURE, "DRIVER 2 it crashed");
    fleet.node("gpu-01").version = "2";

    assertThat(batches(Forecast.of(fleet.view()))).containsExactly("gpu-02 1", "gpu-00 never");
  }

  @Test
  void aNodeThatIsSkippedIsNoCanary() {
    ModelFleet fleet = fleet(3, TWO, "{canary: {nodes: 1, soakSeconds: 600}}");
    fleet.node("gpu-00").version = "2";
    fleet.node("gpu-00").labels.put("nvidia.com/gpu-driver-upgrade.skip", "true");

    assertThat(Forecast.of(fleet.view()).nodes())
        .extracting(it -> it.node().name() + " " + it.group())
        .containsExactly("gpu-01 canary", "gpu-02 ");
  }

  @Test
  void nodesUnderWayAreFinishedFirst() {
    ModelFleet fleet = fleet(2, ONE, "");
    fleet.node("gpu-01").labels.put("nvidia.com/gpu-driver-upgrade-state", "pod-restart-required");

    assertThat(batches(Forecast.of(fleet.view()))).containsExactly("gpu-01 0", "gpu-00 1");
  }

  @Test
  void podsThatWouldNotLeaveAreNamed() {
    FleetView view = fleet(3, ONE, "").view();
    FleetView withPods =
        new FleetView(
            List.of(
                view.nodes().get(0).withPods(pod(Owner.CONTROLLER, "")),
                view.nodes().get(1).withPods(pod(Owner.CONTROLLER, "PDB x allows 0 disruptions")),
                view.nodes().get(2).withPods(pod(Owner.NONE, ""))),
            view.policy(),
            view.rollout(),
            view.obstacles(),
            view.now());

    assertThat(Forecast.of(withPods).nodes())
        .extracting(it -> it.heldUpBy().orElse(""))
        .satisfiesExactly(
            it -> assertThat(it).isEmpty(),
            it -> assertThat(it).isEqualTo("PDB x allows 0 disruptions"),
            it -> assertThat(it).startsWith("pod team/x has no controller"));
  }

  @Test
  void nodeWhoseImageCannotBePulled_neverBegins() {
    FleetView view = fleet(1, ONE, "").view();
    var obstacles =
        new Obstacles(
            Optional.empty(), Map.of("gpu-00", Hold.of("image x cannot be pulled", "")), List.of());

    Expected node =
        Forecast.of(
                new FleetView(view.nodes(), view.policy(), view.rollout(), obstacles, view.now()))
            .nodes()
            .getFirst();

    assertThat(node.batch()).isEmpty();
    assertThat(node.waiting().blocker()).isEqualTo("image x cannot be pulled");
  }

  @Property(tries = 200)
  void whereNothingIsInTheWayEveryNodeBeginsOnce(
      @ForAll @IntRange(min = 1, max = 20) int size,
      @ForAll @IntRange(max = 4) int parallel,
      @ForAll @IntRange(min = 1, max = 4) int unavailable,
      @ForAll @IntRange(max = 3) int canary) {
    Forecast forecast =
        Forecast.of(
            fleet(
                    size,
                    "{autoUpgrade: true, maxParallelUpgrades: %d, maxUnavailable: %d}"
                        .formatted(parallel, unavailable),
                    canary == 0 ? "" : "{canary: {nodes: %d}}".formatted(canary))
                .view());

    assertThat(forecast.nodes()).hasSize(size).allMatch(it -> it.batch().orElse(0) > 0);
    int most = parallel == 0 ? unavailable : Math.min(parallel, unavailable);
    for (int batch = 1; batch <= forecast.batches(); batch++) {
      int number = batch;
      assertThat(forecast.nodes())
          .filteredOn(it -> it.batch().orElse(0) == number)
          .hasSizeBetween(1, most);
    }
  }

  private static ModelFleet fleet(int size, String policy, String rollout) {
    var fleet = new ModelFleet(size, Rules.policy(policy), Rules.rollout(rollout));
    fleet.target = "2";
    return fleet;
  }

  private static List<String> batches(Forecast forecast) {
    return forecast.nodes().stream()
        .map(it -> it.node().name() + " " + it.batch().map(String::valueOf).orElse("never"))
        .toList();
  }

  private static Optional<List<NodePod>> pod(Owner owner, String refusal) {
    GivenPod pod = GivenPod.pod(Given.name("x")).of(owner);
    return Optional.of(List.of((refusal.isEmpty() ? pod : pod.refused(refusal)).observed()));
  }
}
