package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.core.requests.Taint;
import dev.pitcrew.operator.testing.Facts;
import dev.pitcrew.operator.testing.Rendered;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the status says.
class PolicyVerdictTest {
  @Test
  void operandThatATaintKeepsOffANode_isNotReady() {
    var taint = new Taint("team", "", "NoSchedule");
    var keptOff = new SuitableNodes.KeptOff(2, "gpu-3", taint);

    assertThat(rollout(keptOff, 0).lack().orElseThrow())
        .startsWith("DaemonSet d is kept off 2 nodes, such as gpu-3, by the taint team:NoSchedule");
    assertThat(rollout(keptOff, 1).lack().orElseThrow())
        .as("one of them has its pod still")
        .startsWith("DaemonSet d is kept off node gpu-3 by");
    assertThat(rollout(keptOff, 2).lack()).isEmpty();
  }

  private static Rollout rollout(SuitableNodes.KeptOff keptOff, int misscheduled) {
    var daemonSet =
        new DaemonSetBuilder()
            .withNewMetadata()
            .withName("d")
            .withGeneration(1L)
            .endMetadata()
            .withNewStatus()
            .withObservedGeneration(1L)
            .withNumberMisscheduled(misscheduled)
            .endStatus()
            .build();
    return Rollout.of(daemonSet, new SuitableNodes(0, Optional.of(keptOff)));
  }

  // defect 32
  @ParameterizedTest
  @CsvSource({
    "2, 2, 3, 3, 3, 3, true",
    "2, 1, 3, 3, 3, 3, false",
    "2, 2, 3, 3, 2, 3, false",
    "2, 2, 3, 3, 3, 2, false",
    "2, 2, 0, 0, 0, 0, true",
    "2, 1, 0, 0, 0, 0, false",
    "1, 1, 3, 0, 0, 0, false",
    "1, 1, 2, 3, 3, 3, true",
  })
  void aDaemonSetIsReadyWhenItsNewestVersionRunsOnAllItsNodes(
      long generation,
      long observed,
      int suitable,
      int desired,
      int updated,
      int available,
      boolean ready) {
    var daemonSet =
        new DaemonSetBuilder()
            .withNewMetadata()
            .withName("d")
            .withGeneration(generation)
            .endMetadata()
            .withNewStatus()
            .withObservedGeneration(observed)
            .withDesiredNumberScheduled(desired)
            .withUpdatedNumberScheduled(updated)
            .withNumberAvailable(available)
            .endStatus()
            .build();

    assertThat(
            Rollout.of(daemonSet, new SuitableNodes(suitable, Optional.empty())).lack().isEmpty())
        .isEqualTo(ready);
  }

  // defect 32
  @Test
  void aDaemonSetWithoutAnyStatusIsNotReady() {
    var fresh = new DaemonSetBuilder().withNewMetadata().withName("d").endMetadata().build();

    assertThat(Rollout.of(fresh, new SuitableNodes(0, Optional.empty())).lack()).isPresent();
    assertThat(Rollout.unseen("d").lack()).contains("DaemonSet d is being created or changed");
  }

  @Test
  void everythingRunningIsReady() {
    assertThat(verdict("", Facts.oneNode(), PolicyVerdictTest::allRun))
        .isEqualTo(
            new PolicyVerdict(
                "ready",
                "Reconciled",
                "ClusterPolicy is ready as all resources have been successfully reconciled"));
  }

  @Test
  void startingOperand_isNamedWithItsCounts() {
    var verdict =
        verdict(
            "",
            Facts.oneNode(),
            name ->
                new Rollout(
                    name,
                    true,
                    2,
                    2,
                    2,
                    0,
                    name.equals("nvidia-dcgm") ? 1 : 2,
                    Optional.empty(),
                    Optional.empty()));

    assertThat(verdict.reason()).isEqualTo("OperandNotReady");
    assertThat(verdict.message())
        .isEqualTo(
            "ClusterPolicy is not ready; states not ready: [state-dcgm]; DaemonSet nvidia-dcgm is ready on 1 of 2 nodes");
  }

  @ParameterizedTest
  @CsvSource({
    "3, 3, 2, 'DaemonSet d is ready on 2 of 3 nodes (pod d-1 on node n: it crashes)'",
    "3, 2, 2, 'DaemonSet d is ready on 2 of 3 nodes (pod d-1 on node n: it crashes)'",
    "3, 2, 3, 'DaemonSet d runs its newest version on 2 of 3 nodes (pod d-1 on node n: it crashes)'",
  })
  void missingPodsOfADaemonSet_areCounted(int desired, int updated, int available, String lack) {
    var cause = new PodCause("d-1", "n", true, "it crashes");

    assertThat(
            new Rollout(
                    "d",
                    true,
                    desired,
                    desired,
                    updated,
                    0,
                    available,
                    Optional.of(cause),
                    Optional.empty())
                .lack())
        .contains(lack);
  }

  @ParameterizedTest
  @CsvSource({"3, 0, 3, true", "3, 0, 2, false", "3, 2, 1, false", "2, 1, 2, true"})
  void nodesThatHaveTheDriverAlreadyNeedNoOtherPod(
      int desired, int updated, int sameDriver, boolean isReady) {
    var rollout =
        new Rollout(
            "d",
            true,
            desired,
            desired,
            updated,
            sameDriver,
            desired,
            Optional.empty(),
            Optional.empty());

    assertThat(rollout.lack().isEmpty()).isEqualTo(isReady);
    assertThat(rollout.hasOlderPods()).isTrue();
  }

  @Test
  void nodesThatAreNotCountedYet_areNotForgotten() {
    var verdict =
        verdict(
            "",
            Facts.oneNode(),
            name -> new Rollout(name, true, 3, 0, 0, 0, 0, Optional.empty(), Optional.empty()));

    assertThat(verdict.isReady()).isFalse();
    assertThat(verdict.message())
        .contains(
            "DaemonSet nvidia-dcgm is due on 3 nodes, of which the DaemonSet controller has counted 0");
  }

  @Test
  void nothingIsReadyBeforeAllNodesHaveTheirLabels() {
    var ready = verdict("", Facts.oneNode(), PolicyVerdictTest::allRun);

    var verdict = ready.afterLabelling(new TreeMap<>(Map.of("node-2", "", "node-1", "")));
    var refused =
        ready.afterLabelling(new TreeMap<>(Map.of("node-2", "refused: denied", "node-1", "")));

    assertThat(verdict.isProgress()).isTrue();
    assertThat(verdict.message()).endsWith("nodes still to be labelled: 2, the first is node-1");
    assertThat(refused.message())
        .endsWith("nodes still to be labelled: 2, node-2, refused: denied");
    assertThat(ready.afterLabelling(new TreeMap<>())).isEqualTo(ready);
  }

  @Test
  void nothingIsReadyBeforeTheNodesOfNvidiaDriversHaveTheirs() {
    var ready = verdict("", Facts.oneNode(), PolicyVerdictTest::allRun);
    var waiting = new TreeMap<>(Map.of("node-1", "upgrade-required"));
    var failed = new TreeMap<>(Map.of("node-1", "drain-required", "node-2", "upgrade-failed"));

    assertThat(ready.afterUpgrading(waiting).isProgress()).isTrue();
    assertThat(ready.afterUpgrading(waiting).message())
        .contains("NVIDIADriver upgrade has not completed", "or failed: ");
    assertThat(ready.afterUpgrading(failed).message())
        .contains("or failed, such as node-2, which failed: ");
    assertThat(ready.afterUpgrading(new TreeMap<>())).isEqualTo(ready);
  }

  @Test
  void badInputIsNamedWhateverRuns() {
    var verdict = verdict("driver: {secretEnv: gone}", Facts.oneNode(), PolicyVerdictTest::allRun);

    assertThat(verdict.state()).isEqualTo("notReady");
    assertThat(verdict.reason()).isEqualTo("ReconcileFailed");
    assertThat(verdict.isProgress()).isFalse();
    assertThat(verdict.message()).startsWith("spec.driver.secretEnv is \"gone\"");
  }

  @Test
  void aClusterWithoutGpuNodesIsReadyAndWatched() {
    assertThat(verdict("", Facts.cluster(), PolicyVerdictTest::allRun).reason())
        .isEqualTo("NoGPUNodes");
    assertThat(
            verdict("", Facts.cluster().withoutFeatureLabels(), PolicyVerdictTest::allRun).reason())
        .isEqualTo("NFDLabelsMissing");
  }

  // defect 16
  @Test
  void secondPolicy_namesTheOneInForce() {
    var verdict = PolicyVerdict.ignored("first");

    assertThat(verdict.state()).isEqualTo("ignored");
    assertThat(verdict.message()).contains("ClusterPolicy first is older");
    assertThat(verdict.conditions(1)).extracting(Condition::getReason).contains("Ignored");
  }

  // defect 49
  @Test
  void conditionsSayWhichGenerationTheyAreOf() {
    assertThat(PolicyVerdict.failed("x").conditions(7))
        .extracting(Condition::getObservedGeneration)
        .containsOnly(7L);
  }

  @Test
  void eitherReadyOrError_isAlwaysTrue() {
    assertThat(PolicyVerdict.failed("x").conditions(1))
        .extracting(condition -> condition.getType() + " " + condition.getStatus())
        .containsExactly("Ready False", "Error True");
    assertThat(verdict("", Facts.oneNode(), PolicyVerdictTest::allRun).conditions(1))
        .extracting(condition -> condition.getType() + " " + condition.getStatus())
        .containsExactly("Ready True", "Error False");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dcgm: {env: [{name: A, value: '1'}, {name: A, value: '2'}]} | spec.dcgm.env has A more than once: the last value holds; remove the others",
        "validator: {cuda: {env: [{name: A}, {name: B}, {name: A}]}} | spec.validator.cuda.env has A more than once: the last value holds; remove the others",
        "gds: {enabled: true, args: [x]}                             | spec.gds.args has no effect; clear it",
        "gdrcopy: {enabled: true, args: [x]}                         | spec.gdrcopy.args has no effect; clear it",
        "kataManager: {enabled: true}                                | spec.kataManager.enabled has no effect; clear it",
        "hostPaths: {driverInstallDir: /opt}                         | spec.hostPaths.driverInstallDir is \"/opt\", but driver containers install into /run/nvidia/driver: clear it, or set spec.driver.enabled to false for a driver of the host",
      })
  // defects 28 and 30
  void inputThatWorksOtherwiseThanItReadsIsNoted(String policy, String notice) {
    var verdict = verdict(policy, Facts.oneNode(), PolicyVerdictTest::allRun);

    assertThat(verdict.isReady()).isTrue();
    assertThat(verdict.message()).endsWith("reconciled; note: " + notice);
  }

  private static Rollout allRun(String daemonSet) {
    return new Rollout(daemonSet, true, 2, 2, 2, 0, 2, Optional.empty(), Optional.empty());
  }

  private static PolicyVerdict verdict(
      String policy, Facts facts, Function<String, Rollout> rollouts) {
    return PolicyVerdict.of(Rendered.of(policy, facts).plan(), facts.build(), rollouts);
  }
}
