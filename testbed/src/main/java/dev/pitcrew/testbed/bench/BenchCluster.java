package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.controlplane.AuditTail;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Objects;

/// A control plane with simulated nodes, half of them with GPUs, and a ClusterPolicy that waits for
/// an operator.
final class BenchCluster implements AutoCloseable {
  static final NodeTemplate GPU = NodeTemplate.gpu("gpu");

  /// The operator's own, so that the audit log distinguishes its calls from all others.
  private static final String ACCOUNT = "gpu-operator";

  private static final String DRIVER = "nvidia-driver-daemonset";

  private final ControlPlane controlPlane;
  private final SimulatedNodes nodes;
  private final Relay relay;
  private final Path operatorKubeconfig;

  private BenchCluster(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
    this.nodes = SimulatedNodes.start(controlPlane, PodsOnNodes.START);
    this.relay = Relay.to(URI.create(controlPlane.apiServerAddress()));
    createAccount();
    this.operatorKubeconfig = relayedKubeconfig();
  }

  /// Starts a cluster.
  ///
  /// @param disabledControllers of the controller manager
  static BenchCluster start(String... disabledControllers) {
    var controlPlane =
        ControlPlane.start(ControlPlaneOptions.defaults().withoutControllers(disabledControllers));
    try {
      return new BenchCluster(controlPlane);
    } catch (RuntimeException | Error e) {
      controlPlane.close();
      throw e;
    }
  }

  /// Creates `count` nodes, the larger half with GPUs, and the GPUNode of each of those.
  void populate(int count) {
    createGpuNodes(nodes.create(GPU, gpuNodes(count)));
    nodes.create(NodeTemplate.cpu("cpu"), count - gpuNodes(count));
  }

  static int gpuNodes(int count) {
    return count - count / 2;
  }

  /// Creates the objects of a YAML file.
  void create(Path file) {
    try (var yaml = Files.newInputStream(file)) {
      client().load(yaml).create();
    } catch (IOException e) {
      throw new UncheckedIOException("read " + file, e);
    }
  }

  OperatorUnderTest start(BenchedOperator operator) {
    return operator.start(controlPlane.directory(), operatorKubeconfig);
  }

  /// A client with every right, which shares no connection with the operator's.
  KubernetesClient client() {
    return controlPlane.client();
  }

  /// Whether the policy says that it is ready and the driver really runs on every GPU node: the
  /// DaemonSet controller may not have looked at the labels yet when the policy first says so.
  boolean isReady(int nodes) {
    var driver =
        client().apps().daemonSets().inNamespace(BenchedOperator.NAMESPACE).withName(DRIVER).get();
    return driver != null
        && Objects.equals(driver.getStatus().getNumberAvailable(), gpuNodes(nodes))
        && "ready".equals(policy(client()).get().get("status", "state"));
  }

  /// The ClusterPolicy.
  static Resource<GenericKubernetesResource> policy(KubernetesClient client) {
    return client.genericKubernetesResources(Definitions.CLUSTER_POLICY).withName("cluster-policy");
  }

  Path adminKubeconfig() {
    return controlPlane.kubeconfigFile();
  }

  Relay relay() {
    return relay;
  }

  OperatorCalls operatorCalls() {
    var user = "system:serviceaccount:%s:%s".formatted(BenchedOperator.NAMESPACE, ACCOUNT);
    return new OperatorCalls(new AuditTail(controlPlane.auditLog(), user));
  }

  @Override
  public void close() {
    relay.close();
    nodes.close();
    controlPlane.close();
  }

  private void createGpuNodes(Collection<Node> gpuNodes) {
    Concurrently.forEach(
        gpuNodes,
        node ->
            client()
                .genericKubernetesResources(Definitions.GPU_NODE)
                .resource(
                    new GenericKubernetesResourceBuilder()
                        .withApiVersion("pitcrew.dev/v1alpha1")
                        .withKind("GPUNode")
                        .withNewMetadata()
                        .withName(node.getMetadata().getName())
                        .endMetadata()
                        .build())
                .create());
  }

  private void createAccount() {
    var namespace = BenchedOperator.NAMESPACE;
    client()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    client()
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .build())
        .create();
    client()
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("bench-operator")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                .build())
        .create();
  }

  private Path relayedKubeconfig() {
    try {
      var direct = Files.readString(controlPlane.kubeconfigFor(BenchedOperator.NAMESPACE, ACCOUNT));
      var relayed =
          direct.replace(controlPlane.apiServerAddress(), "https://127.0.0.1:" + relay.port());
      return controlPlane.directory().write("relayed.kubeconfig", relayed);
    } catch (IOException e) {
      throw new UncheckedIOException("read the operator's kubeconfig", e);
    }
  }
}
