package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.AuditTail;
import dev.pitcrew.testbed.demo.InstalledCluster;
import dev.pitcrew.testbed.node.RealNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// The agent's pods, and what the cluster and the node with GPUs show of their work.
record AgentUnderTest(InstalledCluster cluster) {
  static final String LABEL = "nvidia.com/gpu.count";

  private static final String NAMESPACE = "gpu-operator";
  private static final String NAME = "pitcrew-agent";
  private static final Path PLUGINS = Path.of("/var/lib/kubelet/device-plugins");

  /// What it takes at most until something shows that usually takes a second.
  static final Duration LIMIT = Duration.ofSeconds(90);

  /// The pod on a node that is not about to end; none while the DaemonSet makes the next one.
  Optional<Pod> pod(RealNode node) {
    return client().pods().inNamespace(NAMESPACE).list().getItems().stream()
        .filter(pod -> pod.getMetadata().getName().startsWith(NAME))
        .filter(pod -> node.name().equals(pod.getSpec().getNodeName()))
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .findFirst();
  }

  /// The processes of that pod; none where there is no pod.
  PodProcesses processes(RealNode node) {
    return pod(node)
        .map(pod -> PodProcesses.of(pod.getMetadata().getUid()))
        .orElseGet(() -> new PodProcesses(List.of()));
  }

  void delete(Pod pod) {
    client().pods().resource(pod).delete();
  }

  /// Lets the operator change the template of the agent's pods.
  ///
  /// @param environment variables that the agent does not know
  void roll(Map<String, String> environment) {
    var variables =
        environment.entrySet().stream()
            .map(it -> "{\"name\":\"%s\",\"value\":\"%s\"}".formatted(it.getKey(), it.getValue()))
            .collect(Collectors.joining(","));
    editFleet("{\"spec\":{\"agent\":{\"env\":[%s]}}}".formatted(variables));
  }

  /// Whether all pods are of the newest template, and ready.
  boolean isRolled() {
    var live = client().apps().daemonSets().inNamespace(NAMESPACE).withName(NAME).require();
    var status = live.getStatus();
    return live.getMetadata().getGeneration().equals(status.getObservedGeneration())
        && status.getDesiredNumberScheduled().equals(status.getUpdatedNumberScheduled())
        && status.getDesiredNumberScheduled().equals(status.getNumberAvailable());
  }

  KubeletLog kubeletLog() {
    return kubeletLog(KubeletLog.GPU);
  }

  KubeletLog kubeletLog(String resource) {
    return KubeletLog.of(cluster.server(), resource);
  }

  /// Every call of the agents.
  OperatorCalls calls() {
    var user = "system:serviceaccount:%s:%s".formatted(NAMESPACE, NAME);
    return new OperatorCalls(new AuditTail(cluster.controlPlane().auditLog(), user));
  }

  boolean hasLabel() {
    return node().getMetadata().getLabels().containsKey(LABEL);
  }

  /// Labels of the node with GPUs.
  void label(Map<String, String> labels) {
    var all =
        labels.entrySet().stream()
            .map(it -> "\"%s\":\"%s\"".formatted(it.getKey(), it.getValue()))
            .collect(Collectors.joining(","));
    client()
        .nodes()
        .withName(cluster.server().name())
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"labels\":{%s}}}".formatted(all));
  }

  /// How many of a resource pods can have on the node with GPUs.
  String allocatable(String resource) {
    var quantity = node().getStatus().getAllocatable().get(resource);
    return quantity == null ? "0" : quantity.getAmount();
  }

  /// Gives the agents these functions, and no others.
  void provide(List<String> functions) {
    var quoted =
        functions.stream().map(it -> "\"%s\"".formatted(it)).collect(Collectors.joining(","));
    editFleet("{\"spec\":{\"agent\":{\"functions\":[%s]}}}".formatted(quoted));
  }

  /// @param patch a JSON merge patch of the FleetPolicy
  void editFleet(String patch) {
    client()
        .genericKubernetesResources(Definitions.FLEET_POLICY)
        .withName("fleet")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /// @param patch a JSON merge patch
  void editPolicy(String patch) {
    client()
        .genericKubernetesResources(Definitions.CLUSTER_POLICY)
        .withName("cluster-policy")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /// Whatever version the Node has: the kubelet writes it all the time.
  void removeLabel() {
    var patch = "{\"metadata\":{\"labels\":{\"%s\":null}}}".formatted(LABEL);
    client()
        .nodes()
        .withName(cluster.server().name())
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /// The CDI specifications on the node. The link `/var/run` would lead out of it.
  List<Path> cdiFiles() {
    return files(Path.of("/run/cdi"), name -> name.endsWith(".json") || name.endsWith(".yaml"));
  }

  void removeCdiFiles() {
    for (var file : cdiFiles()) {
      try {
        Files.delete(file);
      } catch (IOException e) {
        throw new UncheckedIOException("remove " + file, e);
      }
    }
  }

  /// The plugin's socket, as this machine sees it.
  Path pluginSocket() {
    return files(PLUGINS, name -> name.startsWith("nvidia") && name.endsWith(".sock")).stream()
        .findFirst()
        .orElseThrow(() -> new TestbedException("the agent has no socket in " + PLUGINS));
  }

  /// The socket on which the kubelet takes registrations.
  Path kubeletSocket() {
    return cluster.server().path(PLUGINS.resolve("kubelet.sock").toString());
  }

  private List<Path> files(Path folder, Predicate<String> isMeant) {
    try (var files = Files.list(cluster.server().path(folder.toString()))) {
      return files.filter(file -> isMeant.test(String.valueOf(file.getFileName()))).toList();
    } catch (IOException e) {
      throw new UncheckedIOException("list " + folder + " of the node", e);
    }
  }

  private Node node() {
    return client().nodes().withName(cluster.server().name()).require();
  }

  private KubernetesClient client() {
    return cluster.controlPlane().client();
  }
}
