package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.demo.DemoOptions.OperatorProgram;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OperatorLaunchTest {
  private final OperatorLaunch launch =
      new OperatorLaunch(
          new OperatorProgram(Path.of("/jdk/bin/java"), "operator.jar:lib/*"),
          Path.of("/run/kubeconfig"),
          new OperatorLaunch.Ports(1001, 1002));

  @Test
  void theProcessGetsTheVariablesOfThePodAndNoOthers() {
    var words =
        launch.commandLine(
            pod(
                """
                - {name: IMAGE, value: some/image}
                - {name: EMPTY}
                - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                - {name: OPERATOR_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
                """));

    assertThat(words)
        .startsWith(
            "/usr/bin/env",
            "-i",
            "IMAGE=some/image",
            "EMPTY=",
            "POD_NAME=operator-1",
            "OPERATOR_NAMESPACE=place",
            "/jdk/bin/java");
  }

  @Test
  void theProcessGetsTheArgumentsOfThePodAndItsOwnAddresses() {
    assertThat(launch.commandLine(pod("[]")))
        .endsWith(
            "operator",
            "--leader-elect",
            "--kubeconfig=/run/kubeconfig",
            "--metrics-bind-address=127.0.0.1:1001",
            "--health-probe-bind-address=127.0.0.1:1002");
  }

  @Test
  void theClassPathHoldsFromEveryFolder() {
    var here = Path.of("").toAbsolutePath();

    assertThat(launch.commandLine(pod("[]")))
        .containsSequence("-cp", here + "/operator.jar:" + here + "/lib/*");
  }

  @Test
  void aVariableThatOnlyAKubeletKnowsIsRefused() {
    var pod = pod("- {name: KEY, valueFrom: {secretKeyRef: {name: secret, key: key}}}");

    assertThatThrownBy(() -> launch.commandLine(pod))
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
