package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// An admission policy of the cluster refuses what the operator writes: the ClusterPolicy says so
/// in the API server's words, and what was refused is tried again by itself.
@WithControlPlane
class RefusalTest {
  private static final String SCENARIO = "default-one-gpu-node";
  private static final String REFUSAL = "not on my watch";

  /// Longer than the pause after a refusal.
  private static final Duration LIMIT = Duration.ofSeconds(90);

  private final ControlPlane controlPlane;
  private Scene scene;

  RefusalTest(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  @BeforeEach
  void enter() throws IOException, InterruptedException {
    scene = Scene.of(SCENARIO, controlPlane);
  }

  @AfterEach
  void leave() {
    scene.close();
  }

  @Test
  void aDaemonSetThatIsForbiddenHoldsUpNoOther() throws IOException, InterruptedException {
    try (var _ =
        refuse(
            "apps", "daemonsets", "object.metadata.name != 'nvidia-dcgm-exporter'", exporter())) {
      scene.start(Launch.PLAIN);
      scene.policy().create(Scene.scenario(SCENARIO)).awaitError("nvidia-dcgm-exporter", REFUSAL);
      await()
          .atMost(LIMIT)
          .until(() -> scene.workloads().versions().containsKey("nvidia-mig-manager"));
    }

    scene.policy().awaitState("ready", LIMIT);
    assertThat(scene.workloads().versions()).containsKey("nvidia-dcgm-exporter");
  }

  @Test
  void aNodeWhoseLabelsAreForbiddenIsNamed() throws IOException, InterruptedException {
    try (var _ =
        refuse(
            "",
            "nodes",
            "!('nvidia.com/gpu.deploy.driver' in object.metadata.labels)",
            gpuNode())) {
      scene.start(Launch.PLAIN);
      scene.policy().create(Scene.scenario(SCENARIO)).awaitError("gpu-1", REFUSAL);
    }

    scene.policy().awaitState("ready", LIMIT);
  }

  /// Has the cluster refuse writes of a resource for which an expression is false, until closed.
  ///
  /// @param refused tells when it does, which takes the API server a moment
  private AdmissionPolicy refuse(
      String group, String resource, String expression, HasMetadata refused) {
    var policy = new AdmissionPolicy(scene, group, resource);
    policy.install(expression, REFUSAL);
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(() ->
            assertThatThrownBy(() -> scene.client().resource(refused).dryRun().create())
                .hasMessageContaining(REFUSAL));
    return policy;
  }

  private static DaemonSet exporter() {
    var labels = Map.of("app", "probe");
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName("nvidia-dcgm-exporter")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .withMatchLabels(labels)
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("probe")
        .withImage("probe")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Node gpuNode() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("probe")
        .addToLabels("nvidia.com/gpu.deploy.driver", "true")
        .endMetadata()
        .build();
  }

  /// A ValidatingAdmissionPolicy with its binding.
  private record AdmissionPolicy(Scene scene, String group, String resource)
      implements AutoCloseable {
    private static final String YAML =
        """
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingAdmissionPolicy
        metadata: {name: refusal}
        spec:
          failurePolicy: Fail
          matchConstraints:
            resourceRules:
              - apiGroups: ["%s"]
                apiVersions: ["*"]
                operations: [CREATE, UPDATE]
                resources: [%s]
          validations:
            - expression: "%s"
              message: %s
              reason: Forbidden
        ---
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingAdmissionPolicyBinding
        metadata: {name: refusal}
        spec:
          policyName: refusal
          validationActions: [Deny]
        """;

    void install(String expression, String message) {
      var yaml = YAML.formatted(group, resource, expression, message);
      scene
          .client()
          .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
          .serverSideApply();
    }

    @Override
    public void close() {
      var kinds = scene.client().admissionRegistration().v1();
      kinds.validatingAdmissionPolicyBindings().withName("refusal").delete();
      kinds.validatingAdmissionPolicies().withName("refusal").delete();
    }
  }
}
