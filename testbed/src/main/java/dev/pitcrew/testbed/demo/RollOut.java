package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.Definitions;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// How an administrator has drivers roll out, and what is visible of it.
record RollOut(Screen screen, KubernetesClient client, LiveCluster cluster) {
  /// The most nodes that are to be out of service at once.
  static final int AT_ONCE = 4;

  /// An administrator's own label of Nodes, which names their wave.
  static final String POOL = "example.com/pool";

  /// In their order.
  static final List<Wave> WAVES =
      List.of(new Wave("inference", "NVIDIA-L40S"), new Wave("training", "NVIDIA-H100"));

  private static final ResourceDefinitionContext FLEET_POLICY =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("FleetPolicy")
          .withPlural("fleetpolicies")
          .withNamespaced(false)
          .build();
  private static final String FLEET = "fleet";
  private static final String PRODUCT = "nvidia.com/gpu.product";

  /// A wave and how the products of its nodes' GPUs begin.
  record Wave(String name, String product) {
    private String json() {
      return "{\"name\": \"%1$s\", \"nodeSelector\": {\"%2$s\": \"%1$s\"}}".formatted(name, POOL);
    }
  }

  /// Waves and a canary.
  void prepare() {
    WAVES.forEach(this::pool);
    editFleet(
        """
        {"autoRollback": true, "canary": {"nodes": 1, "soakSeconds": 1},
         "waves": [%s]}\
        """
            .formatted(String.join(", ", WAVES.stream().map(Wave::json).toList())));
    edit(
        """
        {"driver": {"upgradePolicy": {"autoUpgrade": true, "maxParallelUpgrades": %1$d, "maxUnavailable": %1$d}}}\
        """
            .formatted(AT_ONCE));
  }

  /// Asks for another driver.
  void want(String version) {
    edit("{\"driver\": {\"version\": \"%s\"}}".formatted(version));
  }

  /// The nodes that run a driver of the operator's, by name.
  List<RollOutNode> nodes() {
    return cluster.nodes().stream()
        .filter(node -> "true".equals(label(node, "nvidia.com/gpu.deploy.driver")))
        .map(
            node -> RollOutNode.of(node, wave(node), cluster.gpuNode(node.getMetadata().getName())))
        .toList();
  }

  /// A node's labels say it, whatever the roll-out does.
  private static String wave(Node node) {
    return label(node, POOL);
  }

  private void pool(Wave wave) {
    var names =
        cluster.nodes().stream()
            .filter(node -> label(node, PRODUCT).startsWith(wave.product()))
            .map(node -> node.getMetadata().getName())
            .toList();
    screen.line(
        "$ kubectl label node %s %s=%s".formatted(String.join(" ", names), POOL, wave.name()));
    var labels = Map.of("metadata", Map.of("labels", Map.of(POOL, wave.name())));
    names.forEach(name ->
        client
            .nodes()
            .withName(name)
            .patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(labels)));
    cluster.await(
        Duration.ofSeconds(30),
        () ->
            cluster.nodes().stream().filter(it -> wave(it).equals(wave.name())).count()
                == names.size());
  }

  private static String label(Node node, String key) {
    return node.getMetadata().getLabels().getOrDefault(key, "-");
  }

  private void editFleet(String rollout) {
    patch(FLEET_POLICY, FLEET, "{\"spec\": {\"rollout\": %s}}".formatted(rollout));
  }

  private void edit(String spec) {
    patch(Definitions.CLUSTER_POLICY, cluster.policy().name(), "{\"spec\": %s}".formatted(spec));
  }

  private void patch(ResourceDefinitionContext kind, String name, String json) {
    var line = json.replaceAll("\\s+", " ");
    screen.text(
        "$ kubectl patch %s %s --type merge -p '%s'"
            .formatted(
                Map.of(FLEET_POLICY, "fleetpolicy").getOrDefault(kind, "clusterpolicy"),
                name,
                line));
    client
        .genericKubernetesResources(kind)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), json);
  }
}
