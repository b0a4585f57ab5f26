package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.helm.Chart;
import dev.pitcrew.testbed.helm.Chart.ReleaseName;
import dev.pitcrew.testbed.helm.Values;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import dev.pitcrew.testbed.operator.OperatorPod;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// A control plane with simulated GPU nodes on which the chart is installed, with pods that hold a
/// GPU each.
final class UpgradeCluster implements AutoCloseable {
  private static final NodeTemplate GPU =
      NodeTemplate.gpu("gpu").withAllocatable("nvidia.com/gpu", "8");
  private static final ReleaseName RELEASE =
      new ReleaseName(BenchedOperator.NAMESPACE, "gpu-operator");
  private static final Duration POD_LIMIT = Duration.ofMinutes(2);

  private final ControlPlane controlPlane;
  private final SimulatedNodes nodes;
  private final List<String> gpuNodes = new ArrayList<>();

  private UpgradeCluster(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.nodes = SimulatedNodes.start(controlPlane, PodsOnNodes.START);
  }

  /// Installs the chart and creates the nodes and one pod a node; the operator does not run yet.
  ///
  /// @param parallel the chart's `driver.upgradePolicy.maxParallelUpgrades`
  static UpgradeCluster start(Path chart, int size, int parallel) {
    var controlPlane = ControlPlane.start(ControlPlaneOptions.defaults());
    try {
      var cluster = new UpgradeCluster(controlPlane);
      cluster.nodes.create(NodeTemplate.cpu("cpu"), 1); // has the operator's pod
      Chart.withBuiltImage(chart).install(controlPlane.kubeconfigFile(), RELEASE, values(parallel));
      cluster
          .nodes
          .create(GPU, size)
          .forEach(it -> cluster.gpuNodes.add(it.getMetadata().getName()));
      cluster.train(size);
      return cluster;
    } catch (RuntimeException | Error e) {
      controlPlane.close();
      throw e;
    }
  }

  private static Values values(int parallel) {
    return Values.of(
        Map.of("driver", Map.of("upgradePolicy", Map.of("maxParallelUpgrades", parallel))));
  }

  /// Runs the operator as the pod of the chart's Deployment would, beside the cluster.
  OperatorUnderTest start(BenchedOperator operator) {
    Await.orFail(
        POD_LIMIT, "the operator's pod was not scheduled", () -> operatorPod().isPresent());
    var pod = operatorPod().orElseThrow();
    return operator.start(
        controlPlane.directory(),
        OperatorPod.launch(pod),
        controlPlane.kubeconfigFor(RELEASE.namespace(), pod.getSpec().getServiceAccountName()));
  }

  /// In the audit log.
  String operatorUser() {
    return "system:serviceaccount:%s:%s"
        .formatted(
            RELEASE.namespace(), operatorPod().orElseThrow().getSpec().getServiceAccountName());
  }

  /// The names of the nodes with GPUs.
  List<String> gpuNodes() {
    return gpuNodes;
  }

  AuditLog auditLog() {
    return controlPlane.auditLog();
  }

  KubernetesClient client() {
    return controlPlane.client();
  }

  @Override
  public void close() {
    nodes.close();
    controlPlane.close();
  }

  private Optional<Pod> operatorPod() {
    return client()
        .pods()
        .inNamespace(RELEASE.namespace())
        .withLabel("app", "gpu-operator")
        .list()
        .getItems()
        .stream()
        .filter(Readiness::isPodReady)
        .findFirst();
  }

  private void train(int replicas) {
    var yaml =
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: trainer, namespace: default}
        spec:
          replicas: %d
          selector: {matchLabels: {app: trainer}}
          template:
            metadata: {labels: {app: trainer}}
            spec:
              containers:
              - {name: c, image: example.com/train:1, resources: {limits: {nvidia.com/gpu: 1}}}
        """
            .formatted(replicas);
    client().load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8))).create();
    Await.orFail(
        POD_LIMIT.plusMillis(200L * replicas),
        "the pods with GPUs do not run",
        () -> trained() == replicas);
  }

  private int trained() {
    var trainer = client().apps().deployments().inNamespace("default").withName("trainer").get();
    return Objects.requireNonNullElse(trainer.getStatus().getReadyReplicas(), 0);
  }
}
