package dev.pitcrew.operator.runtime.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.api.node.RolloutPhase;
import dev.pitcrew.api.node.RolloutStatus;
import dev.pitcrew.core.rollout.RolloutEnd;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Drivers;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Fleet;
import dev.pitcrew.operator.runtime.upgrade.LiveFleet.Observation;
import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.FleetView;
import dev.pitcrew.operator.upgrade.Obstacles;
import dev.pitcrew.operator.upgrade.PodName;
import dev.pitcrew.operator.upgrade.Readiness;
import dev.pitcrew.operator.upgrade.UpgradeMarks;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import dev.pitcrew.operator.upgrade.UpgradeState;
import dev.pitcrew.operator.upgrade.Validation;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusReportTest {
  private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "upgrade-done new, upgrade-done new, DONE",
    "- new, upgrade-done new, DONE",
    "upgrade-done old, upgrade-done new, NONE",
    "upgrade-required old, upgrade-done new, NONE",
    "pod-restart-required old, upgrade-failed new, NONE",
    "upgrade-done new, upgrade-failed new, STOPPED"
  })
  void aRollOutIsOverWhenAllAreDoneOrNoneGoesOn(String one, String other, RolloutEnd end) {
    assertThat(StatusReport.of(fleet(Map.of(), one, other)).end()).isEqualTo(end);
  }

  @Test
  void blockerFromTheOperator_countsInTheSamePhase() {
    var written =
        new RolloutStatus(
            RolloutPhase.DELETE_PODS, null, null, "PDB x allows 0 disruptions", "then", Map.of());

    assertThat(blocker("pod-deletion-required old", written))
        .isEqualTo("PDB x allows 0 disruptions");
    assertThat(blocker("pod-restart-required old", written)).doesNotContain("PDB");
  }

  @Test
  void theSummaryCountsEachNodeOnce() {
    StatusReport report =
        StatusReport.of(
            fleet(
                Map.of(),
                "upgrade-done new",
                "drain-required old",
                "upgrade-required old",
                "upgrade-failed new"));

    assertThat(report.summary())
        .isEqualTo("ClusterPolicy x: 1 of 4 nodes done, 1 under way, 1 waiting, 1 failed");
    assertThat(report.table()).contains("node-2   Drain     drain-required");
  }

  private static String blocker(String node, RolloutStatus written) {
    return StatusReport.of(fleet(Map.of("node-1", written), node)).nodes().getFirst().blocker();
  }

  @Test
  void nothingIsOverBeforeTheOperatorHasLooked() {
    Fleet fleet = fleet(Map.of(), "upgrade-done new");
    StatusReport report =
        StatusReport.of(
            new Fleet(
                fleet.source(),
                new Observation(false, Optional.empty()),
                fleet.view(),
                fleet.drivers(),
                fleet.reports()));

    assertThat(report.end()).isEqualTo(RolloutEnd.NONE);
    assertThat(report.summary()).endsWith("the operator has not looked at its last change yet");
  }

  @Test
  void fleetThatIsNotCarriedOut_isNotDone() {
    Fleet fleet = fleet(Map.of(), "upgrade-done new");
    StatusReport report =
        StatusReport.of(
            new Fleet(
                fleet.source(),
                new Observation(true, Optional.of("multiple NVIDIADrivers match the same node")),
                fleet.view(),
                fleet.drivers(),
                fleet.reports()));

    assertThat(report.end()).isEqualTo(RolloutEnd.STOPPED);
    assertThat(report.summary())
        .endsWith("0 failed; not carried out: multiple NVIDIADrivers match the same node");
  }

  private static Fleet fleet(Map<String, RolloutStatus> reports, String... texts) {
    int[] number = {0};
    List<UpgradeNode> nodes =
        Stream.of(texts).map(text -> node("node-" + ++number[0], text.split(" ", 2))).toList();
    return new Fleet(
        "ClusterPolicy x",
        new Observation(true, Optional.empty()),
        new FleetView(nodes, UpgradePolicySpec.ABSENT, RolloutSpec.ABSENT, Obstacles.NONE, NOW),
        Map.of("node-1", new Drivers("old", "new")),
        reports);
  }

  private static UpgradeNode node(String name, String[] words) {
    boolean current = words[1].equals("new");
    var driver =
        new DriverPod(
            new PodName("n", "driver-" + name, "uid"),
            current,
            "nvidia-driver-daemonset",
            words[1],
            "new",
            false,
            true,
            Optional.empty(),
            0,
            Optional.empty(),
            Optional.empty());
    return new UpgradeNode(
        name,
        Map.of(),
        UpgradeState.of(words[0]),
        UpgradeMarks.of(
            words[0].equals("upgrade-failed")
                ? Map.of(
                    UpgradeMarks.FAILURE,
                    "DRIVER new it crashed",
                    UpgradeMarks.SINCE,
                    NOW.toString())
                : Map.of(UpgradeMarks.SINCE, NOW.toString())),
        false,
        Readiness.READY,
        Optional.of(driver),
        Optional.empty(),
        new Validation.Pending("not yet"),
        Optional.empty(),
        false);
  }
}
