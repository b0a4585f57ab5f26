package dev.pitcrew.testbed.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OperatorPodTest {
  @Test
  void theProcessGetsTheVariablesOfThePod() {
    var launch =
        OperatorPod.launch(
            pod(
                """
                - {name: IMAGE, value: some/image}
                - {name: EMPTY}
                - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                - {name: OPERATOR_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
                """));

    assertThat(launch.environment())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "IMAGE", "some/image",
                "EMPTY", "",
                "POD_NAME", "operator-1",
                "OPERATOR_NAMESPACE", "place"));
  }

  @Test
  void theProcessGetsTheArgumentsOfThePod() {
    assertThat(OperatorPod.launch(pod("[]")).arguments())
        .containsExactly("operator", "--leader-elect");
  }

  @Test
  void aVariableThatOnlyAKubeletKnowsIsRefused() {
    var pod = pod("- {name: KEY, valueFrom: {secretKeyRef: {name: secret, key: key}}}");

    assertThatThrownBy(() -> OperatorPod.launch(pod))
        .isInstanceOf(TestbedException.class)
        .hasMessageContaining("KEY");
  }

  private static Pod pod(String environment) {
    var yaml =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: operator-1, namespace: place}
        spec:
          containers:
          - name: operator
            args: [operator, --leader-elect]
            env:
        %s
        """
            .formatted(environment.indent(6));
    return new KubernetesSerialization().unmarshal(yaml, Pod.class);
  }
}
