package dev.pitcrew.testbed.bench;

import static dev.pitcrew.testbed.bench.Goal.Unit.SECONDS;

import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// How long the scheduler takes for pods with a GPU each on simulated nodes that have 8: by device
/// plugins, and by claims of a template.
record SchedulerBench(int nodes, int pods) {
  private static final int GPUS = 8;
  private static final double MILLIS = 1e3;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final String NAMESPACE = "default";
  private static final String CLASS =
      """
      {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"},
       "spec": {"selectors": [{"cel": {"expression":
        "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"}}]}}
      """;
  private static final String TEMPLATE =
      """
      {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate",
       "metadata": {"name": "gpu", "namespace": "default"},
       "spec": {"spec": {"devices": {"requests":
        [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}}}}
      """;
  private static final String SLICE =
      """
      {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "%1$s"},
       "spec": {"driver": "gpu.nvidia.com", "nodeName": "%1$s",
        "pool": {"name": "%1$s", "generation": 1, "resourceSliceCount": 1}, "devices": [%2$s]}}
      """;
  private static final String DEVICE =
      """
      {"name": "gpu-%1$d", "attributes": {"type": {"string": "gpu"}, "uuid": {"string": "GPU-%1$d"},
        "productName": {"string": "NVIDIA H100 80GB HBM3"}}, "capacity": {"memory": {"value": "80Gi"}}}
      """;
  private static final String POD =
      """
      {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%1$s-%2$d", "namespace": "default"},
       "spec": {"containers": [{"name": "main", "image": "none", "resources": {%3$s}}]%4$s}}
      """;
  private static final String LIMITS = "\"limits\": {\"nvidia.com/gpu\": \"1\"}";
  private static final String CLAIMS = "\"claims\": [{\"name\": \"gpu\"}]";
  private static final String CLAIM =
      ", \"resourceClaims\": [{\"name\": \"gpu\", \"resourceClaimTemplateName\": \"gpu\"}]";

  List<Figure> figures() {
    try (var controlPlane = ControlPlane.start(ControlPlaneOptions.defaults());
        var simulated = SimulatedNodes.start(controlPlane, PodsOnNodes.START)) {
      var client = controlPlane.client();
      var template =
          NodeTemplate.cpu("gpu").withAllocatable("nvidia.com/gpu", String.valueOf(GPUS));
      publish(client, simulated.create(template, nodes));
      var plugin = seconds(client, "plugin", LIMITS, "");
      var claims = seconds(client, "claims", CLAIMS, CLAIM);
      var measure = "scheduler, %,d nodes: %,d pods with a GPU each, by ".formatted(nodes, pods);
      return List.of(
          new Figure(measure + "device plugin", SECONDS, "", plugin),
          new Figure(measure + "claims", SECONDS, "", claims).atMost(plugin));
    }
  }

  private static void publish(KubernetesClient client, List<Node> nodes) {
    client.resource(CLASS).create();
    client.resource(TEMPLATE).create();
    var devices =
        IntStream.range(0, GPUS).mapToObj(DEVICE::formatted).collect(Collectors.joining(","));
    Concurrently.forEach(
        nodes,
        node -> client.resource(SLICE.formatted(node.getMetadata().getName(), devices)).create());
  }

  /// From before the first pod is created until all are bound to a node.
  private double seconds(KubernetesClient client, String name, String resources, String claims) {
    var begin = System.nanoTime();
    Concurrently.forEach(
        IntStream.range(0, pods).boxed().toList(),
        number -> client.resource(POD.formatted(name, number, resources, claims)).create());
    Await.orFail(LIMIT, () -> waiting(client) + " pods wait", () -> waiting(client) == 0);
    var took = Duration.ofNanos(System.nanoTime() - begin);
    client.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
    Await.orFail(
        LIMIT,
        "the pods did not go",
        () -> client.pods().inNamespace(NAMESPACE).list().getItems().isEmpty());
    return took.toMillis() / MILLIS;
  }

  private static int waiting(KubernetesClient client) {
    return client
        .pods()
        .inNamespace(NAMESPACE)
        .withField("spec.nodeName", "")
        .list()
        .getItems()
        .size();
  }
}
