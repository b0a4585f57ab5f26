package dev.pitcrew.operator.runtime.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.upgrade.PreflightPod.Pull;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PreflightReadingTest {
  private static final String OTHER =
      "{name: k8s-driver-manager, imageID: 'sha256:2', state: {terminated: {exitCode: 0}}}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{imageID: 'sha256:1', state: {waiting: {reason: ContainerCreating}}}",
        "{state: {running: {}}}",
        "{state: {terminated: {exitCode: 0, reason: Completed}}}",
        "{state: {terminated: {exitCode: 128, reason: StartError}}}",
        "{state: {waiting: {reason: CreateContainerConfigError}}}",
        "{state: {waiting: {reason: CreateContainerError}}}",
        "{state: {waiting: {reason: CrashLoopBackOff}}}"
      })
  void whateverIsSaidAfterThePullIsAPass(String container) {
    assertThat(pull("Pending", container)).isEqualTo(new Pull.Done());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{reason: ErrImagePull, message: 'read udp 10.89.35.11:38629->10.0.0.53:53: i/o timeout'}",
        "{reason: ImagePullBackOff, message: 'Back-off pulling image \"r/driver:1\": ErrImagePull: read udp 10.89.35.11:45113->10.0.0.53:53: i/o timeout'}"
      })
  void aRefusalHasTheSameWordsWhileTheKubeletWaits(String waiting) {
    assertThat(pull("Pending", "{state: {waiting: %s}}".formatted(waiting)))
        .isEqualTo(
            new Pull.Refused(
                "nvidia-driver-ctr", "read udp 10.89.35.11->10.0.0.53:53: i/o timeout"));
  }

  @Test
  void refusalWithoutAMessage_isReportedByItsReason() {
    assertThat(pull("Pending", "{state: {waiting: {reason: InvalidImageName}}}"))
        .isEqualTo(new Pull.Refused("nvidia-driver-ctr", "InvalidImageName"));
  }

  @Test
  void nothingIsKnownWhileContainersAreMade() {
    assertThat(pull("Pending", "{state: {waiting: {reason: ContainerCreating}}}"))
        .isInstanceOf(Pull.UnderWay.class);
  }

  @Test
  void aPodThatWasNotTakenSaysNothingOfItsImages() {
    assertThat(pull("Failed", "{state: {terminated: {reason: ContainerStatusUnknown}}}"))
        .isEqualTo(new Pull.Lost("OutOfpods: too many pods"));
  }

  private static Pull pull(String phase, String container) {
    String yaml =
        """
        metadata: {name: x, namespace: gpu-operator, uid: u, creationTimestamp: "2026-11-22T08:00:00Z"}
        spec: {nodeName: gpu-1, containers: [{name: nvidia-driver-ctr}, {name: k8s-driver-manager}]}
        status:
          phase: %s
          reason: OutOfpods
          message: too many pods
          containerStatuses: [%s, %s]
        """
            .formatted(phase, container.replaceFirst("\\{", "{name: nvidia-driver-ctr, "), OTHER);
    return PreflightReading.read(Serialization.unmarshal(yaml, Pod.class)).pull();
  }
}
