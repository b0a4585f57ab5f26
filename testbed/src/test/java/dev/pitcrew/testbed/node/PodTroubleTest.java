package dev.pitcrew.testbed.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class PodTroubleTest {
  @Test
  void anImageThatIsNotThereIsNamedInTheKubeletsWords() {
    var pod =
        pod(
            "containerStatuses: [{name: a, state: {waiting: {reason: %s, message: %s}}}]"
                .formatted("ImagePullBackOff", "'Back-off pulling image \"x:1\"'"));

    assertThat(PodTrouble.of(pod))
        .hasValueSatisfying(trouble -> {
          assertThat(trouble.isOfImage()).isTrue();
          assertThat(trouble)
              .hasToString("pod agent-1: ImagePullBackOff: Back-off pulling image \"x:1\"");
        });
  }

  @Test
  void aPodThatCrashesMayComeRound() {
    var pod = pod("containerStatuses: [{name: a, state: {terminated: {exitCode: 3}}}]");

    assertThat(PodTrouble.of(pod))
        .hasValueSatisfying(trouble -> {
          assertThat(trouble.isOfImage()).isFalse();
          assertThat(trouble.message()).isEqualTo("container a ended with status 3");
        });
  }

  @Test
  void resultOfTheLastTry_isReported() {
    var pod =
        pod(
            "containerStatuses: [{name: a, state: {waiting: {reason: CrashLoopBackOff, message:"
                + " back-off}}, lastState: {terminated: {exitCode: 128, message: no such file}}}]");

    assertThat(PodTrouble.of(pod))
        .map(PodTrouble::toString)
        .contains("pod agent-1: CrashLoopBackOff: no such file");
  }

  @Test
  void aPodWithoutAPlaceSaysWhy() {
    var pod =
        pod(
            "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable,"
                + " message: no node}]");

    assertThat(PodTrouble.of(pod)).map(PodTrouble::message).contains("no node");
  }

  @Test
  void aPodOnItsWayHasNoTrouble() {
    assertThat(PodTrouble.of(pod("{}"))).isEmpty();
    assertThat(
            PodTrouble.of(
                pod(
                    "containerStatuses: [{name: a, state: {waiting: {reason:"
                        + " ContainerCreating}}}]")))
        .isEmpty();
    assertThat(PodTrouble.of(pod("containerStatuses: [{name: a, state: {running: {}}}]")))
        .isEmpty();
  }

  private static Pod pod(String status) {
    var yaml =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: agent-1}
        status: {%s}
        """
            .formatted(status.equals("{}") ? "" : status);
    return new KubernetesSerialization().unmarshal(yaml, Pod.class);
  }
}
