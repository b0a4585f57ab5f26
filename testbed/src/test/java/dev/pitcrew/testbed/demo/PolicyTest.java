package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.junit.jupiter.api.Test;

class PolicyTest {
  private static final String STATUS =
      """
      status:
        state: %s
        conditions:
        - {type: Ready, status: "%s", message: all is well, observedGeneration: 3}
        - {type: Error, status: "%s", message: something lacks, observedGeneration: 3}
      """;

  @Test
  void theMessageIsThatOfTheConditionThatIsTrue() {
    assertThat(policy(3, STATUS.formatted("ready", "True", "False")).message())
        .isEqualTo("all is well");
    assertThat(policy(3, STATUS.formatted("notReady", "False", "True")).message())
        .isEqualTo("something lacks");
  }

  @Test
  void aStatusAboutAnEarlierGenerationIsNotReady() {
    var ready = STATUS.formatted("ready", "True", "False");

    assertThat(policy(3, ready).isReady()).isTrue();
    assertThat(policy(4, ready).isReady()).isFalse();
  }

  @Test
  void aPolicyWithoutStatusIsNotReady() {
    var policy = policy(1, "");

    assertThat(policy.isReady()).isFalse();
    assertThat(policy.state()).isEqualTo("-");
    assertThat(policy.driverVersion()).isEqualTo("580.95.05");
  }

  private static Policy policy(int generation, String status) {
    var yaml =
        """
        apiVersion: nvidia.com/v1
        kind: ClusterPolicy
        metadata: {name: cluster-policy, generation: %d}
        spec: {driver: {version: 580.95.05}}
        %s\
        """
            .formatted(generation, status);
    return Policy.of(
        new KubernetesSerialization().unmarshal(yaml, GenericKubernetesResource.class));
  }
}
