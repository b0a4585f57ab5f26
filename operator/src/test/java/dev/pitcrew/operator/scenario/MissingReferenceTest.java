package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A ConfigMap or Secret that a policy names and that is not there: its operand stays as it is, and
/// follows automatically when the object appears.
@WithControlPlane
@TestInstance(Lifecycle.PER_CLASS)
class MissingReferenceTest {
  private static final String NAME = "appears-later";

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Scene scene;
  private final JsonNode goodSpec;
  private Map<String, Workloads.Version> running = Map.of();

  MissingReferenceTest(ControlPlane controlPlane) throws IOException, InterruptedException {
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
    scene.client().configMaps().inNamespace(Scene.NAMESPACE).withName(NAME).delete();
    scene.client().secrets().inNamespace(Scene.NAMESPACE).withName(NAME).delete();
  }

  /// @param key of the ConfigMap's or Secret's data
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          spec.driver.kernelModuleConfig.name       | {"driver":{"kernelModuleConfig":{"name":"appears-later"}}}  | ConfigMap | nvidia.conf  | nvidia-driver-daemonset
          spec.driver.repoConfig.configMapName      | {"driver":{"repoConfig":{"configMapName":"appears-later"}}} | ConfigMap | custom.list  | nvidia-driver-daemonset
          spec.driver.certConfig.name               | {"driver":{"certConfig":{"name":"appears-later"}}}          | ConfigMap | ca.crt       | nvidia-driver-daemonset
          spec.driver.virtualTopology.config        | {"driver":{"virtualTopology":{"config":"appears-later"}}}   | ConfigMap | topology.txt | nvidia-driver-daemonset
          spec.driver.licensingConfig.configMapName | {"driver":{"licensingConfig":{"configMapName":"appears-later"}}} | ConfigMap | gridd.conf | nvidia-driver-daemonset
          spec.driver.licensingConfig.secretName    | {"driver":{"licensingConfig":{"secretName":"appears-later"}}} | Secret | gridd.conf    | nvidia-driver-daemonset
          spec.driver.secretEnv                     | {"driver":{"secretEnv":"appears-later"}}                    | Secret    | TOKEN        | nvidia-driver-daemonset
          spec.devicePlugin.config.name             | {"devicePlugin":{"config":{"name":"appears-later","default":"any"}}} | ConfigMap | any | nvidia-device-plugin-daemonset
          spec.migManager.config.name               | {"migManager":{"config":{"name":"appears-later"}}}          | ConfigMap | config.yaml  | nvidia-mig-manager
          spec.migManager.gpuClientsConfig.name     | {"migManager":{"gpuClientsConfig":{"name":"appears-later"}}} | ConfigMap | clients.yaml | nvidia-mig-manager
          spec.dcgmExporter.config.name             | {"dcgmExporter":{"config":{"name":"appears-later"}}}        | ConfigMap | dcgm-metrics.csv | nvidia-dcgm-exporter
          """)
  void missingReference_isNamedAndAwaited(
      String field, String patch, String kind, String key, String operand) {
    scene.policy().edit(patch);
    scene.policy().awaitError(field, NAME, kind, "create it or clear the field");
    assertThat(scene.workloads().versions()).containsEntry(operand, running.get(operand));

    scene.client().resource(object(kind, key)).create();

    await()
        .atMost(LIMIT)
        .until(() -> !scene.workloads().version(operand).equals(running.get(operand)));
    await().atMost(LIMIT).until(() -> !scene.policy().messageOf("Error").contains(NAME));
  }

  private static HasMetadata object(String kind, String key) {
    return kind.equals("Secret")
        ? new SecretBuilder()
            .withNewMetadata()
            .withNamespace(Scene.NAMESPACE)
            .withName(NAME)
            .endMetadata()
            .addToStringData(key, "text")
            .build()
        : new ConfigMapBuilder()
            .withNewMetadata()
            .withNamespace(Scene.NAMESPACE)
            .withName(NAME)
            .endMetadata()
            .addToData(key, "text")
            .build();
  }
}
