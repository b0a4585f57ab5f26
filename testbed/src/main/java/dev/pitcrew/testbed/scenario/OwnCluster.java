package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.operator.OperatorLaunch;
import dev.pitcrew.testbed.operator.OperatorProgram;
import dev.pitcrew.testbed.scenario.play.OperatorCommand;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer.Stage;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/// A control plane of the run's own, with what the chart installs around its operator: the
/// definitions and the service account with its rights. The operator runs as a process with that
/// account, so a right that it lacks shows as a difference.
final class OwnCluster implements AutoCloseable {
  private static final Set<String> AROUND_THE_OPERATOR =
      Set.of("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding");

  /// The name of the chart's release, and so of its service account.
  private static final String ACCOUNT = "gpu-operator";

  /// A kind whose objects no controller acts on.
  private static final ResourceDefinitionContext OWNER =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("GPUNode")
          .withPlural("gpunodes")
          .withNamespaced(false)
          .build();

  private final ControlPlane controlPlane;
  private final String namespace;

  private OwnCluster(ControlPlane controlPlane, String namespace) {
    this.controlPlane = controlPlane;
    this.namespace = namespace;
  }

  static OwnCluster start(Path chart, String namespace) throws IOException {
    // No kubelet renews a lease for the nodes of scenarios.
    var options = ControlPlaneOptions.defaults().withNodeMonitorGracePeriod(Duration.ofHours(24));
    var cluster = new OwnCluster(ControlPlane.start(options), namespace);
    cluster.install(chart);
    new GarbageCollector(cluster.controlPlane.client(), namespace).awaitKnowing(OWNER);
    return cluster;
  }

  Stage stage(Path kubectl, Path scratch) {
    return new Stage(controlPlane.kubeconfigFile(), kubectl, namespace, scratch);
  }

  /// Runs the operator with the account of the chart.
  OperatorCommand operator(OperatorProgram program) {
    return OperatorCommand.of(
        OperatorLaunch.inPod(namespace, "parity"),
        program,
        controlPlane.kubeconfigFor(namespace, ACCOUNT));
  }

  @Override
  public void close() {
    controlPlane.close();
  }

  private void install(Path chart) throws IOException {
    KubernetesClient client = controlPlane.client();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    try (var definitions = Files.list(chart.resolve("crds"))) {
      for (Path definition : definitions.sorted().toList()) {
        try (InputStream yaml = Files.newInputStream(definition)) {
          client.load(yaml).create();
        }
      }
    }
    var release = new ReleaseName(namespace, ACCOUNT);
    String manifests = Chart.withBuiltImage(chart).template(release, Values.DEFAULTS);
    for (HasMetadata object : objects(client, manifests)) {
      if (AROUND_THE_OPERATOR.contains(object.getKind())) {
        client.resource(object).inNamespace(namespace).create();
      }
    }
  }

  private static List<HasMetadata> objects(KubernetesClient client, String manifests) {
    return client
        .load(new ByteArrayInputStream(manifests.getBytes(StandardCharsets.UTF_8)))
        .items();
  }
}
