package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;

/// A ValidatingAdmissionPolicy of the cluster's owner, with its binding.
record AdmissionPolicy(Scene scene, String group, String resource) implements AutoCloseable {
  static final String MESSAGE = "not on my watch";
  private static final Duration LIMIT = Duration.ofSeconds(60);

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

  /// Has the cluster refuse writes of a resource for which an expression is false, until closed.
  ///
  /// @param refused whether it refuses already, which takes the API server a moment
  static AdmissionPolicy refuse(
      Scene scene, String group, String resource, String expression, HasMetadata refused) {
    var policy = new AdmissionPolicy(scene, group, resource);
    policy.install(expression, MESSAGE);
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .untilAsserted(() ->
            assertThatThrownBy(() -> scene.client().resource(refused).dryRun().create())
                .hasMessageContaining(MESSAGE));
    return policy;
  }

  static AdmissionPolicy refuseDaemonSet(Scene scene, String name) {
    var expression = "object.metadata.name != '%s'".formatted(name);
    return refuse(scene, "apps", "daemonsets", expression, daemonSet(name));
  }

  static DaemonSet daemonSet(String name) {
    var labels = Map.of("app", "probe");
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName(name)
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
}
