package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// The operator's account may not list the Secrets of its namespace, one of which a policy names.
@WithControlPlane
class UnlistedSecretsTest {
  private static final String DRIVER = "nvidia-driver-daemonset";
  private static final String EXPORTER = "nvidia-dcgm-exporter";
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private Scene scene;

  @BeforeEach
  void enter(ControlPlane controlPlane) throws IOException, InterruptedException {
    scene = Scene.running("default-one-gpu-node", controlPlane);
  }

  @AfterEach
  void leave() {
    scene.client().secrets().inNamespace(Scene.NAMESPACE).withName("tokens").delete();
    OperatorRights.grant(scene.controlPlane());
    scene.close();
  }

  @Test
  void onlyTheOperandThatNamesTheSecretWaits() {
    withoutRightOnSecrets();
    var driver = scene.workloads().version(DRIVER);
    var exporter = scene.workloads().version(EXPORTER);

    scene.policy().edit("{\"driver\": {\"secretEnv\": \"tokens\"}}");
    scene
        .policy()
        .awaitError("spec.driver.secretEnv is \"tokens\"", "kubectl auth can-i list secrets");
    scene.policy().edit("{\"dcgmExporter\": {\"env\": [{\"name\": \"MORE\", \"value\": \"1\"}]}}");
    await().atMost(LIMIT).until(() -> !scene.workloads().version(EXPORTER).equals(exporter));
    assertThat(scene.workloads().version(DRIVER)).isEqualTo(driver);

    scene
        .client()
        .resource(
            new SecretBuilder()
                .withNewMetadata()
                .withNamespace(Scene.NAMESPACE)
                .withName("tokens")
                .endMetadata()
                .addToStringData("TOKEN", "text")
                .build())
        .create();
    OperatorRights.grant(scene.controlPlane());
    await().atMost(LIMIT).until(() -> !scene.workloads().version(DRIVER).equals(driver));
  }

  private void withoutRightOnSecrets() {
    var roles = scene.client().rbac().roles().inNamespace(Scene.NAMESPACE);
    for (Role role : roles.list().getItems()) {
      List<PolicyRule> kept =
          role.getRules().stream()
              .filter(rule -> !rule.getResources().contains("secrets"))
              .toList();
      if (kept.size() < role.getRules().size()) {
        roles
            .resource(role)
            .edit(live -> {
              live.setRules(kept);
              return live;
            });
      }
    }
  }
}
