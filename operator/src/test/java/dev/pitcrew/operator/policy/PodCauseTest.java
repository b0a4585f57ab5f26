package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a person reads of a pod that is not ready.
class PodCauseTest {
  private static final String RUNNING = "{containerStatuses: [{name: c, state: {running: {}}}]}";
  private static final String STUCK =
      "{containerStatuses: [{name: c, state: {waiting: {reason: ImagePullBackOff, message: denied}}}]}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no room}]} | true | Unschedulable: no room",
        "{phase: Failed, reason: Evicted, message: low on disk} | true | Evicted: low on disk",
        STUCK + " | true | container c: ImagePullBackOff: denied",
        "{containerStatuses: [{name: c, state: {terminated: {exitCode: 2, reason: Error, message: \"one\\ntwo\\n\"}}}]} | true | container c ended with exit code 2: Error: two",
        "{containerStatuses: [{name: c, state: {terminated: {exitCode: 2}}}]} | true | container c ended with exit code 2: no reason given",
        "{containerStatuses: [{name: c, state: {waiting: {reason: CrashLoopBackOff}}, lastState: {terminated: {exitCode: 1, message: wedged}}}]} | true | container c: CrashLoopBackOff: wedged",
        RUNNING + " | false | container c is not done yet",
        "{initContainerStatuses: [{name: i, state: {running: {}}}], containerStatuses: [{name: c, state: {waiting: {reason: ErrImagePull}}}]} | true | container c: ErrImagePull",
      })
  void causeOfAWaitingPod_isReported(String status, boolean isStuck, String text) {
    assertThat(PodCause.of(pod("p", "n", status))).contains(new PodCause("p", "n", isStuck, text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{containerStatuses: [{name: c, state: {waiting: {reason: ContainerCreating}}}]}",
        "{containerStatuses: [{name: c, state: {waiting: {reason: PodInitializing}}}]}",
        "{containerStatuses: [{name: c, state: {terminated: {exitCode: 0}}}]}",
        "{containerStatuses: [{name: c, ready: true, state: {running: {}}}]}",
        "{conditions: [{type: Ready, status: 'True'}], containerStatuses: [{name: c, state: {running: {}}}]}",
      })
  void nothingIsSaidOfAPodThatIsOnItsWayOrReady(String status) {
    assertThat(PodCause.of(pod("p", "n", status))).isEmpty();
  }

  @Test
  void stuckPod_isNamedWithItsNode_ofSeveral() {
    Stream<Pod> pods =
        Stream.of(
            pod("p-1", "node-1", RUNNING),
            pod("p-2", "node-3", STUCK),
            pod("p-3", "node-2", STUCK));

    assertThat(PodCause.worst(pods)).map(PodCause::pod).contains("p-3");
  }

  @Test
  void aPodWithoutANodeIsNamedAlone() {
    assertThat(new PodCause("p", "", true, "no room").sentence()).isEqualTo("pod p: no room");
    assertThat(new PodCause("p", "n", true, "crashes").sentence())
        .isEqualTo("pod p on node n: crashes");
  }

  @ParameterizedTest
  @CsvSource({"160, false", "161, true"})
  void aLongMessageIsCut(int length, boolean isCut) {
    String message = "x".repeat(length);

    assertThat(PodCause.of(pod("p", "n", "{phase: Failed, message: " + message + "}")))
        .map(PodCause::text)
        .contains(isCut ? "x".repeat(160) + "…" : message);
  }

  @ParameterizedTest
  @CsvSource({"500, false", "501, true"})
  void aLongLineOfALogIsCut(int length, boolean isCut) {
    String line = "x".repeat(length);
    Pod pod =
        pod(
            "p",
            "n",
            "{containerStatuses: [{name: c, state: {terminated: {exitCode: 1, message: %s}}}]}"
                .formatted(line));

    assertThat(PodCause.lastOutput(pod.getStatus().getContainerStatuses().getFirst()))
        .contains(isCut ? "x".repeat(500) + "…" : line);
  }

  private static Pod pod(String name, String node, String status) {
    return Serialization.unmarshal(
        "---\n{metadata: {name: %s}, spec: {nodeName: %s}, status: %s}"
            .formatted(name, node, status),
        Pod.class);
  }
}
