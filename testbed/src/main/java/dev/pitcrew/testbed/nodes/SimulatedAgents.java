package dev.pitcrew.testbed.nodes;

import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/// Speaks for the agents of simulated nodes, in whose pods nothing runs: as soon as a driver pod is
/// ready, the GPUNode of its node has that driver and is validated. For who reads the audit log it
/// keeps which pod was where.
public final class SimulatedAgents implements AutoCloseable {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final Pattern VERSION = Pattern.compile(":(?<version>\\d+(\\.\\d+)*)");
  private static final String STATUS =
      """
      {"status": {"driver": {"version": "%1$s", "owner": "Container", "phase": "Ready"}, "conditions": [
        {"type": "DriverReady", "status": "True", "reason": "Passed", "message": "", "lastTransitionTime": "%2$s"},
        {"type": "DevicesAdvertised", "status": "True", "reason": "Passed", "message": "", "lastTransitionTime": "%2$s"},
        {"type": "Validated", "status": "True", "reason": "Passed", "message": "", "lastTransitionTime": "%2$s"}]}}
      """;

  private final KubernetesClient client;
  private final Set<String> nodes;
  private final Map<String, String> places = new ConcurrentHashMap<>();
  private final Set<String> reported = ConcurrentHashMap.newKeySet();
  private final ExecutorService reporters =
      Executors.newFixedThreadPool(4, Thread.ofVirtual().factory());
  private final Watch watch;

  private SimulatedAgents(KubernetesClient client, Set<String> nodes) {
    this.client = client;
    this.nodes = nodes;
    this.watch = client.pods().inAnyNamespace().watch(new PodWatcher());
  }

  /// Makes the GPUNodes of these nodes, and reports in them until closed; their definition must be
  /// there.
  public static SimulatedAgents start(KubernetesClient client, Collection<String> nodes) {
    Concurrently.forEach(nodes, node -> gpuNode(client, node).create());
    return new SimulatedAgents(client, Set.copyOf(nodes));
  }

  /// The node of each pod that was ever seen on one, by the pod's namespace and name, as `a/b`.
  public Map<String, String> places() {
    return Map.copyOf(places);
  }

  @Override
  public void close() {
    watch.close();
    reporters.close();
  }

  private static Resource<GenericKubernetesResource> gpuNode(KubernetesClient client, String name) {
    return client
        .genericKubernetesResources(Definitions.GPU_NODE)
        .resource(
            new GenericKubernetesResourceBuilder()
                .withApiVersion("pitcrew.dev/v1alpha1")
                .withKind("GPUNode")
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .build());
  }

  private void podChanged(Pod pod) {
    var metadata = pod.getMetadata();
    var node = pod.getSpec().getNodeName();
    if (node == null) {
      return;
    }
    places.put(metadata.getNamespace() + "/" + metadata.getName(), node);
    if (nodes.contains(node) && isReadyDriver(pod) && reported.add(metadata.getUid())) {
      var version = version(pod);
      reporters.execute(() -> report(node, version));
    }
  }

  private void report(String node, String version) {
    gpuNode(client, node)
        .subresource("status")
        .patch(MERGE, STATUS.formatted(version, Instant.now()));
  }

  private static boolean isReadyDriver(Pod pod) {
    var component = pod.getMetadata().getLabels().get("app.kubernetes.io/component");
    return "nvidia-driver".equals(component) && Readiness.isPodReady(pod);
  }

  private static String version(Pod pod) {
    var image = pod.getSpec().getContainers().getFirst().getImage();
    var found = VERSION.matcher(image);
    if (!found.find()) {
      throw new TestbedException("the driver image " + image + " has no version");
    }
    return found.group("version");
  }

  private final class PodWatcher implements Watcher<Pod> {
    @Override
    public void eventReceived(Action action, Pod pod) {
      if (action == Action.ADDED || action == Action.MODIFIED) {
        podChanged(pod);
      }
    }

    @Override
    public void onClose(WatcherException cause) {
      throw new TestbedException("the watch of the pods has ended", cause);
    }
  }
}
