package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperandTest {
  @Test
  void aRowHasTheCountsAndTheShortImage() {
    var driver = operand("{desiredNumberScheduled: 3, numberReady: 2, updatedNumberScheduled: 1}");

    assertThat(Operand.table(List.of(driver)).rows())
        .containsExactly(
            List.of("nvidia-driver-daemonset", "3", "2", "1", "driver:595-ubuntu22.04"));
    assertThat(driver.isDriver()).isTrue();
  }

  @Test
  void readyPodsOfAnOldTemplateAreNotComplete() {
    var counts = "observedGeneration: 2, desiredNumberScheduled: 3, numberReady: 3";

    assertThat(operand("{%s}".formatted(counts)).isComplete()).isFalse();
    assertThat(operand("{%s, updatedNumberScheduled: 3}".formatted(counts)).isComplete()).isTrue();
  }

  @Test
  void countsFromBeforeTheLastChangeAreNotComplete() {
    assertThat(operand("{observedGeneration: 1}").isComplete()).isFalse();
    assertThat(operand("{}").isComplete()).isFalse();
    assertThat(operand("{observedGeneration: 2}").isComplete()).isTrue();
  }

  private static Operand operand(String status) {
    var yaml =
        """
        apiVersion: apps/v1
        kind: DaemonSet
        metadata: {name: nvidia-driver-daemonset, generation: 2}
        spec:
          template:
            spec:
              containers:
              - {name: driver, image: "nvcr.io/nvidia/driver:595-ubuntu22.04"}
        status: %s
        """
            .formatted(status);
    return Operand.of(new KubernetesSerialization().unmarshal(yaml, DaemonSet.class));
  }
}
