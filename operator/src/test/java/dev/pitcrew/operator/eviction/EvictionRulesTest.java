package dev.pitcrew.operator.eviction;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EvictionRulesTest {
  private static final PodToEvict ASKED = new PodToEvict("team-a", "trainer", "uid-1", "node-a");

  @Test
  void aPodOfThatUidOnThatNodeIsAskedFor() {
    assertThat(beforehand(pod())).isEmpty();
    assertThat(
            beforehand(
                pod()
                    .editMetadata()
                    .addNewOwnerReference()
                    .withKind("ReplicaSet")
                    .withName("trainer")
                    .endOwnerReference()
                    .endMetadata()))
        .isEmpty();
  }

  @Test
  void missingPod_orPodWithAnotherUid_isGone() {
    assertThat(EvictionRules.beforehand(ASKED, Optional.empty()))
        .contains(new EvictionOutcome.Gone());
    assertThat(beforehand(pod().editMetadata().withUid("uid-2").endMetadata()))
        .contains(new EvictionOutcome.Gone());
    assertThat(beforehand(pod().withNewStatus().withPhase("Succeeded").endStatus()))
        .contains(new EvictionOutcome.Gone());
  }

  @Test
  void terminatingPod_countsAsEvicted() {
    assertThat(
            beforehand(
                pod().editMetadata().withDeletionTimestamp("2026-11-22T12:00:00Z").endMetadata()))
        .contains(new EvictionOutcome.Evicted());
  }

  @Test
  void podThatWouldBeRecreated_orCannotBeEvicted_isNamed() {
    assertThat(
            beforehand(
                pod()
                    .editMetadata()
                    .addNewOwnerReference()
                    .withKind("DaemonSet")
                    .withName("collector")
                    .endOwnerReference()
                    .endMetadata()))
        .contains(
            new EvictionOutcome.Spared(
                "pod team-a/trainer is of DaemonSet collector, which would bring it back: it is not evicted; keep the DaemonSet off node node-a"));
    assertThat(
            beforehand(
                pod()
                    .editMetadata()
                    .addToAnnotations("kubernetes.io/config.mirror", "x")
                    .endMetadata()))
        .hasValueSatisfying(
            it -> assertThat(it.blocker().orElse("")).contains("a file of the kubelet"));
  }

  @Test
  void agent_cannotEvictPodsOfAnotherNode() {
    EvictionOutcome outcome =
        beforehand(pod().editSpec().withNodeName("node-b").endSpec()).orElseThrow();

    assertThat(outcome.blocker())
        .contains("pod team-a/trainer is not on node node-a: it is not evicted");
    assertThat(outcome.mayPass()).isFalse();
  }

  @Test
  void answersMeanWhatTheApiServerDocuments() {
    assertThat(meaning(201, "")).isEqualTo(new EvictionOutcome.Evicted());
    assertThat(meaning(404, "not found")).isEqualTo(new EvictionOutcome.Gone());
    assertThat(
            meaning(
                409,
                "Operation cannot be fulfilled: the UID in the precondition (a) does not match the UID in record (b)"))
        .isEqualTo(new EvictionOutcome.Gone());
    assertThat(meaning(409, "the object has been modified"))
        .isEqualTo(new EvictionOutcome.Failed("pod team-a/trainer: the object has been modified"));
    assertThat(
            meaning(
                429,
                "Cannot evict pod as it would violate the pod's disruption budget.",
                "The disruption budget web needs 1 healthy pods and has 1 currently"))
        .isEqualTo(
            new EvictionOutcome.Refused(
                "pod team-a/trainer: PDB web allows 0 disruptions (The disruption budget web needs 1 healthy pods and has 1 currently)"));
    assertThat(meaning(429, "too many requests"))
        .isEqualTo(new EvictionOutcome.Failed("pod team-a/trainer: too many requests"));
    assertThat(meaning(500, "This pod has more than one PodDisruptionBudget"))
        .isEqualTo(
            new EvictionOutcome.Refused(
                "pod team-a/trainer: several PDBs select it, and the API server evicts no pod that has more than one: keep one of them"));
  }

  private static EvictionOutcome meaning(int status, String message, String... causes) {
    return EvictionAnswers.meaning(ASKED, status, message, List.of(causes));
  }

  private static Optional<EvictionOutcome> beforehand(PodBuilder pod) {
    return EvictionRules.beforehand(ASKED, Optional.<Pod>of(pod.build()));
  }

  private static PodBuilder pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("team-a")
        .withName("trainer")
        .withUid("uid-1")
        .endMetadata()
        .withNewSpec()
        .withNodeName("node-a")
        .endSpec();
  }
}
