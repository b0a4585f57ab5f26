package dev.pitcrew.operator.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.operator.upgrade.PreflightPod.Pull;
import dev.pitcrew.operator.upgrade.PreflightPool.DriverImage;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreflightPlanTest {
  private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
  private static final RolloutSpec SECTION = Rules.rollout("{haltOnFailedHealth: true}");
  private static final String POD = "nvidia-driver-daemonset-preflight-x";

  private static final Pull REFUSED = new Pull.Refused("nvidia-driver-ctr", "not found");

  private final ModelNode first = new ModelNode("gpu-1", "1");
  private final ModelNode second = new ModelNode("gpu-2", "1");

  private static final Instant RETRY_AGO = NOW.minusSeconds(60);
  private static final Instant TIMEOUT_AGO = NOW.minusSeconds(300);

  @Test
  void aPodPullsOnOneNodeAndAllNodesOfThePoolWait() {
    PreflightPlan plan = plan("2", SECTION);

    assertThat(plan.starts())
        .singleElement()
        .satisfies(it -> assertThat(it.node()).isEqualTo("gpu-1"));
    assertThat(plan.obstacles()).containsOnlyKeys("gpu-1", "gpu-2");
    assertThat(hold(plan, "gpu-2").why())
        .isEqualTo(
            "image example.com/driver:2 for kernel 6.8.0 is being pulled on node gpu-1 first (it has just begun)");
    assertThat(hold(plan, "gpu-2").next())
        .isEqualTo("it may begin once the image is there (FleetPolicy spec.rollout.preflight)");
  }

  @Test
  void preflight_pullsWhereItCan() {
    first.ready = false;
    assertThat(plan("2", SECTION).starts().getFirst().node()).isEqualTo("gpu-2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{preflight: false}", "{paused: true}", "{dryRun: true}"})
  void nothing_isPulledWherePreflightIsOff(String rollout) {
    assertThat(plan("2", Rules.rollout(rollout))).isEqualTo(PreflightPlan.NONE);
  }

  @Test
  void nothingIsPulledForNodesThatHaveTheDriverOrAreUnderWayOrSkipped() {
    first.version = "2";
    second.labels.put("nvidia.com/gpu-driver-upgrade-state", "drain-required");
    assertThat(plan("2", SECTION)).isEqualTo(PreflightPlan.NONE);

    second.labels.clear();
    second.labels.put("nvidia.com/gpu-driver-upgrade.skip", "true");
    assertThat(plan("2", SECTION)).isEqualTo(PreflightPlan.NONE);
  }

  @Test
  void nodeThatDoesNotGetThisDriverAutomatically_doesNotKeepThePod() {
    first.version = "2";
    second.labels.put("nvidia.com/gpu-driver-upgrade-state", "upgrade-failed");
    second.annotations.put(UpgradeMarks.FAILURE, "DRIVER 2 it crashed");
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.Done())).ends()).hasSize(1);

    second.annotations.put(UpgradeMarks.FAILURE, "NODE 2 a module is wedged");
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.Done())).ends()).hasSize(1);

    second.annotations.put(UpgradeMarks.FAILURE, "WORKLOAD 2 a pod stayed");
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.Done())).ends()).isEmpty();
  }

  @Test
  void pulledImage_letsAllNodesBegin_andItsPodIsKeptUntilTheyHave() {
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.Done()))).isEqualTo(PreflightPlan.NONE);

    first.version = "2";
    second.version = "2";
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.Done())).ends())
        .extracting(PodName::name)
        .containsExactly(POD);
  }

  @Test
  void imageThatCannotBePulled_isNamedWithItsRemedy() {
    PreflightPlan plan =
        plan("2", SECTION, pod("gpu-1", new Pull.Refused("nvidia-driver-ctr", "not found")));

    assertThat(hold(plan, "gpu-2").why())
        .isEqualTo(
            "image example.com/driver:2 for kernel 6.8.0 cannot be pulled on node gpu-1: not found");
    assertThat(hold(plan, "gpu-2").next()).startsWith("publish it; the kubelet tries again");
    assertThat(plan.ends()).isEmpty();
  }

  @Test
  void aPodOnANodeThatIsNotReadyIsMadeElsewhere() {
    first.ready = false;
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.UnderWay("so so"))).ends()).hasSize(1);
    assertThat(plan("2", SECTION, pod("gone", new Pull.UnderWay("so so"))).ends()).hasSize(1);

    second.ready = false;
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.UnderWay("so so"))).ends()).isEmpty();
    assertThat(plan("2", SECTION, pod("gone", new Pull.UnderWay("so so"))).ends()).hasSize(1);
  }

  @Test
  void aPodOnANodeThatDoesNotWaitAnyMoreIsMadeElsewhere() {
    first.labels.put("nvidia.com/gpu-driver-upgrade.skip", "true");

    assertThat(plan("2", SECTION, pod("gpu-1", REFUSED)).ends()).hasSize(1);
  }

  /// It may be the registry, or the node.
  @Test
  void imageThatCannotBePulledOnOneNode_isTriedOnAnother() {
    PreflightPlan early = plan("2", SECTION, pod("gpu-1", REFUSED));
    assertThat(early.starts()).isEmpty();
    assertThat(hold(early, "gpu-2").until()).contains(NOW.plusSeconds(300));
    assertThat(hold(early, "gpu-2").next())
        .isEqualTo(
            "publish it; the kubelet tries again, at the deadline on another node, too, and nodes go on once the image is there");

    PreflightPlan late = plan("2", SECTION, refused("gpu-1"));
    assertThat(late.ends()).isEmpty();
    assertThat(late.starts())
        .singleElement()
        .satisfies(it -> assertThat(it.pod() + " " + it.node()).isEqualTo(POD + "-2 gpu-2"));
    assertThat(hold(late, "gpu-1").why()).contains("is being pulled on node gpu-2 first");
    assertThat(plan("2", Rules.rollout("{paused: true}"), refused("gpu-1")).starts()).isEmpty();
  }

  @Test
  void imageThatIsPulledThere_letsAllNodesBeginButTheOneThatCannotPull() {
    PreflightPlan plan = plan("2", SECTION, refused("gpu-1"), second(new Pull.Done()));

    assertThat(plan.starts()).isEmpty();
    assertThat(plan.ends()).isEmpty();
    assertThat(plan.obstacles()).containsOnlyKeys("gpu-1");
    assertThat(hold(plan, "gpu-1").why()).contains("cannot be pulled on node gpu-1: not found");
  }

  @Test
  void imageThatCannotBePulledThereEither_namesBothNodes_andIsTriedNowhereElse() {
    PreflightPlan plan = plan("2", SECTION, refused("gpu-1"), second(REFUSED));

    assertThat(plan.starts()).isEmpty();
    assertThat(hold(plan, "gpu-2").why())
        .endsWith("cannot be pulled on node gpu-1: not found; nor on node gpu-2: not found");
    assertThat(hold(plan, "gpu-2").next())
        .isEqualTo("publish it; the kubelet tries again, and nodes go on once the image is there");
  }

  @Test
  void theFirstPodIsMadeAgainWhereOnlyTheSecondIsLeft() {
    var left =
        new PreflightPod(
            new PodName("gpu-operator", POD + "-2", "uid-2"), "gpu-2", TIMEOUT_AGO, false, REFUSED);

    assertThat(plan("2", SECTION, left).starts())
        .extracting(it -> it.pod() + " " + it.node())
        .containsExactly(POD + " gpu-1");
  }

  @Test
  void imageThatCannotBePulled_isNamed_ofSeveral() {
    var pool =
        new PreflightPool(
            POD,
            List.of(
                new DriverImage("nvidia-driver-ctr", "example.com/driver:2", "", "publish it"),
                new DriverImage("nvidia-fs-ctr", "example.com/fs:2", "", "mirror it")),
            List.of(first.observed("2"), second.observed("2")));
    PreflightPod refused = pod("gpu-1", new Pull.Refused("nvidia-fs-ctr", "not found"));

    Hold hold = hold(PreflightPlan.of(List.of(pool), List.of(refused), SECTION, NOW), "gpu-2");

    assertThat(hold.why())
        .isEqualTo("image example.com/fs:2 cannot be pulled on node gpu-1: not found");
    assertThat(hold.next()).startsWith("mirror it; ");
  }

  @Test
  void aPodThatTheApiServerRefusesHoldsTheNodesOfItsPoolAndNoOther() {
    PreflightPlan plan = plan("2", SECTION);

    PreflightPlan refused = plan.withRefusals(Map.of(POD, "quota exceeded", "other", "denied"));

    assertThat(refused.starts()).isEqualTo(plan.starts());
    assertThat(hold(refused, "gpu-1").why())
        .isEqualTo(
            "the API server refused pod %s, which would pull driver images on node gpu-1: quota exceeded"
                .formatted(POD));
    assertThat(hold(refused, "gpu-2")).isEqualTo(hold(refused, "gpu-1"));
    assertThat(plan.withRefusals(Map.of("other", "denied"))).isEqualTo(plan);
  }

  @Test
  void bothPodsGoWithTheLastNodeThatWaits() {
    first.version = "2";
    second.version = "2";

    assertThat(plan("2", SECTION, refused("gpu-1"), second(new Pull.Done())).ends()).hasSize(2);
  }

  @Test
  void aPodOnTheOnlyNodeThatWaitsStaysThoughThatIsNotReady() {
    first.ready = false;
    second.version = "2";
    assertThat(plan("2", SECTION, pod("gpu-1", new Pull.UnderWay("so so"))).ends()).isEmpty();
  }

  @Test
  void podThatTheNodeRejected_isRecreatedAMinuteLater() {
    var lost = new Pull.Lost("OutOfpods");
    PreflightPlan early = plan("2", SECTION, pod("gpu-1", lost));
    assertThat(early.ends()).isEmpty();
    assertThat(hold(early, "gpu-1").until()).contains(NOW.plusSeconds(60));

    var old = pod("gpu-1", RETRY_AGO, lost);
    assertThat(plan("2", SECTION, old).ends()).hasSize(1);
    second.ready = false;
    assertThat(plan("2", SECTION, old).starts()).isEmpty();
  }

  /// Else it would be made there for ever, and no node of the pool would begin.
  @Test
  void podThatOneNodeRejectsOrDoesNotEnd_isTriedOnAnotherToo() {
    var lost = pod("gpu-1", RETRY_AGO, new Pull.Lost("OutOfpods"));
    assertThat(plan("2", SECTION, lost).starts())
        .extracting(PreflightPlan.Start::node)
        .containsExactly("gpu-2");

    var slow = new Pull.UnderWay("ContainerCreating");
    PreflightPlan early = plan("2", SECTION, pod("gpu-1", RETRY_AGO, slow));
    assertThat(early.starts()).isEmpty();
    assertThat(hold(early, "gpu-2").until()).contains(NOW.plusSeconds(240));
    assertThat(hold(early, "gpu-2").next())
        .isEqualTo(
            "it may begin once the image is there (FleetPolicy spec.rollout.preflight); at the deadline it is pulled on another node, too");
    PreflightPlan late = plan("2", SECTION, pod("gpu-1", TIMEOUT_AGO, slow));
    assertThat(late.starts()).extracting(PreflightPlan.Start::node).containsExactly("gpu-2");
    assertThat(late.ends()).isEmpty();
  }

  @Test
  void podsOfOtherImagesGo() {
    var other =
        new PreflightPod(
            new PodName("gpu-operator", "former", "uid"), "gpu-1", NOW, false, new Pull.Done());
    PreflightPlan plan = plan("2", SECTION, other);
    assertThat(plan.ends()).extracting(PodName::name).containsExactly("former");
    assertThat(plan.starts()).hasSize(1);
  }

  @Test
  void onlyThePoolsOwnNodesWait() {
    PreflightPlan refused =
        plan("2", SECTION, pod("gpu-1", new Pull.Refused("nvidia-driver-ctr", "not found")));
    var other = new ModelNode("other", "1");
    List<UpgradeNode> nodes = List.of(first.observed("2"), other.observed("2"));
    UpgradePlan plan =
        UpgradePlan.of(
            new FleetView(
                nodes,
                Rules.policy("{autoUpgrade: true, maxUnavailable: 2}"),
                SECTION,
                new Obstacles(Optional.empty(), refused.obstacles(), List.of()),
                NOW));

    assertThat(plan.nodes())
        .extracting(it -> it.after().state())
        .containsExactly(UpgradeState.UPGRADE_REQUIRED, UpgradeState.POD_RESTART_REQUIRED);
  }

  private PreflightPlan plan(String target, RolloutSpec rollout, PreflightPod... pods) {
    var image =
        new DriverImage(
            "nvidia-driver-ctr", "example.com/driver:" + target, "kernel 6.8.0", "publish it");
    var pool =
        new PreflightPool(
            POD, List.of(image), List.of(first.observed(target), second.observed(target)));
    return PreflightPlan.of(List.of(pool), List.of(pods), rollout, NOW);
  }

  private static Hold hold(PreflightPlan plan, String node) {
    return Objects.requireNonNull(plan.obstacles().get(node));
  }

  private static PreflightPod pod(String node, Pull pull) {
    return pod(node, NOW, pull);
  }

  private static PreflightPod pod(String node, Instant created, Pull pull) {
    return new PreflightPod(new PodName("gpu-operator", POD, "uid"), node, created, false, pull);
  }

  /// For so long that it is tried elsewhere.
  private static PreflightPod refused(String node) {
    return pod(node, TIMEOUT_AGO, REFUSED);
  }

  private static PreflightPod second(Pull pull) {
    return new PreflightPod(
        new PodName("gpu-operator", POD + "-2", "uid-2"), "gpu-2", NOW, false, pull);
  }
}
