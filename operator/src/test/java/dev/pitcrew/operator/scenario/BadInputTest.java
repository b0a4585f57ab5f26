package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.nodes.NodeSystem;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A policy that the schema accepts but that cannot work, on a cluster where a good one runs: it is
/// said what to do, and what ran goes on running.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class BadInputTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ControlPlane controlPlane;
  private final Scene scene;
  private final JsonNode goodSpec;
  private Map<String, Workloads.Version> running = Map.of();

  BadInputTest(ControlPlane controlPlane) throws IOException, InterruptedException {
    this.controlPlane = controlPlane;
    scene = Scene.running("default-one-gpu-node", controlPlane);
    goodSpec = scene.policy().spec();
  }

  @AfterAll
  void leave() {
    scene.close();
  }

  @BeforeEach
  void remember() {
    running = scene.workloads().versions();
  }

  @AfterEach
  void restore() {
    scene.policy().restore(goodSpec);
    scene.policy().awaitReady();
  }

  /// @param blocked the DaemonSet that must stay as it is, `all` for every one
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"cdi":{"enabled":false,"nriPluginEnabled":true}} | all | spec.cdi.nriPluginEnabled | true | switch
          {"toolkit":{"enabled":false},"cdi":{"nriPluginEnabled":true}} | all | spec.cdi.nriPluginEnabled | true | switch
          {"daemonsets":{"rollingUpdate":{"maxUnavailable":"some"}}} | all | spec.daemonsets.rollingUpdate.maxUnavailable | some | percentage
          {"dcgmExporter":{"version":null}} | nvidia-dcgm-exporter | spec.dcgmExporter | nvcr.io/nvidia/k8s/dcgm-exporter: | set repository, image and version together
          {"driver":{"version":null}} | nvidia-driver-daemonset | spec.driver | nvcr.io/nvidia/driver: | set repository, image and version together
          {"gds":{"enabled":true},"driver":{"usePrecompiled":true}} | nvidia-driver-daemonset | spec.gds.enabled | true | switch
          {"devicePlugin":{"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"2"}}}} | nvidia-device-plugin-daemonset | spec.devicePlugin.resources.requests.cpu | 2 | a request must not exceed it
          {"devicePlugin":{"env":[{"name":"A=B","value":"1"}]}} | nvidia-device-plugin-daemonset | spec.devicePlugin.env[0].name | A=B | correct it
          {"driver":{"startupProbe":{"successThreshold":2}}} | nvidia-driver-daemonset | spec.driver.startupProbe.successThreshold | 2 | set it to 1
          """)
  void invalidInput_isReportedWithTheRemedy_andRunningOperandsStay(
      String patch, String blocked, String field, String value, String remedy) {
    scene.policy().edit(patch);

    var message = scene.policy().awaitError(field, value, remedy);
    assertThat(scene.policy().state()).isEqualTo("notReady");
    await()
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(scene.policy().notes("Warning")).contains(message));
    assertUntouched(blocked);
  }

  private void assertUntouched(String blocked) {
    var now = scene.workloads().versions();
    assertThat(now.keySet()).isEqualTo(running.keySet());
    if (blocked.equals("all")) {
      assertThat(now).isEqualTo(running);
    } else {
      assertThat(now).containsEntry(blocked, running.get(blocked));
    }
  }

  @Test
  void kernelOnTwoOperatingSystems_takesNoPrecompiledDriver() throws InterruptedException {
    var rocky =
        NodeTemplate.gpu("rocky").withSystem(NodeSystem.ubuntu().withDistribution("rocky", "9.4"));
    try (var node = new NodeOfTest(controlPlane.client(), rocky.node(1))) {
      await().atMost(LIMIT).until(() -> node.hasLabel("nvidia.com/gpu.present"));
      scene.settle();
      running = scene.workloads().versions();

      scene.policy().edit("{\"driver\":{\"usePrecompiled\":true}}");

      scene
          .policy()
          .awaitError("spec.driver.usePrecompiled", "true", "rocky9.4", "one operating system");
      assertUntouched("nvidia-driver-daemonset");
    }
  }

  @Test
  void otherOperandsFollowThePolicyMeanwhile() {
    scene
        .policy()
        .edit(
            """
            {"driver":{"kernelModuleConfig":{"name":"absent"}},"dcgmExporter":{"version":"9.9.9"}}
            """);

    await().atMost(LIMIT).until(() -> imageOf("nvidia-dcgm-exporter").endsWith(":9.9.9"));
    scene.policy().awaitError("spec.driver.kernelModuleConfig.name");
    assertUntouched("nvidia-driver-daemonset");
  }

  @Test
  void duplicateEnvironmentVariable_usesTheLast() {
    scene
        .policy()
        .edit(
            """
            {"devicePlugin":{"env":[{"name":"TWICE","value":"1"},{"name":"TWICE","value":"2"}]}}
            """);

    await()
        .atMost(LIMIT)
        .untilAsserted(() ->
            assertThat(scene.workloads().environmentOf("nvidia-device-plugin-daemonset"))
                .containsOnlyOnce(new EnvVar("TWICE", "2", null))
                .doesNotContain(new EnvVar("TWICE", "1", null)));
    scene.policy().awaitReady();
  }

  private String imageOf(String daemonSet) {
    return scene
        .workloads()
        .daemonSet(daemonSet)
        .get()
        .getSpec()
        .getTemplate()
        .getSpec()
        .getContainers()
        .getFirst()
        .getImage();
  }
}
