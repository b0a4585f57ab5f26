package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.Definitions;
import dev.pitcrew.testbed.TestbedException;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;

/// Speaks for the agents of all nodes: as soon as a driver pod is ready, its node has that driver
/// and is validated. Keeps which pod was on which node, too.
final class SimulatedAgents implements AutoCloseable {
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);
  private static final Pattern VERSION = Pattern.compile(":(?<version>\\d+(\\.\\d+)*)");
  private static final String STATUS =
      """
      {"status": {"driver": {"version": "%1$s", "phase": "Ready"}, "conditions": [
        {"type": "DriverReady", "status": "True", "reason": "Passed", "message": "", "lastTransitionTime": "%2$s"},
        {"type": "DevicesAdvertised", "status": "True", "reason": "Passed", "message": "", "lastTransitionTime": "%2$s"},
        {"type": "Validated", "status": "True", "reason": "Passed", "message": "", "lastTransitionTime": "%2$s"}]}}
      """;

  private final KubernetesClient client;
  private final Map<String, String> nodes = new ConcurrentHashMap<>();
  private final Set<String> told = ConcurrentHashMap.newKeySet();
  private final ExecutorService mouths =
      Executors.newFixedThreadPool(4, Thread.ofVirtual().factory());
  private final Watch watch;

  private SimulatedAgents(KubernetesClient client) {
    this.client = client;
    this.watch = client.pods().inAnyNamespace().watch(new Ear());
  }

  static SimulatedAgents start(KubernetesClient client) {
    return new SimulatedAgents(client);
  }

  /// The node of each pod that ever had one, by the pod's namespace and name, as `a/b`.
  Map<String, String> nodes() {
    return Map.copyOf(nodes);
  }

  @Override
  public void close() {
    watch.close();
    mouths.close();
  }

  private void heard(Pod pod) {
    var metadata = pod.getMetadata();
    var node = pod.getSpec().getNodeName();
    if (node == null) {
      return;
    }
    nodes.put(metadata.getNamespace() + "/" + metadata.getName(), node);
    if (isReadyDriver(pod) && told.add(metadata.getUid())) {
      mouths.execute(() -> tell(node, version(pod)));
    }
  }

  private void tell(String node, String version) {
    client
        .genericKubernetesResources(Definitions.GPU_NODE)
        .withName(node)
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

  private final class Ear implements Watcher<Pod> {
    @Override
    public void eventReceived(Action action, Pod pod) {
      if (action == Action.ADDED || action == Action.MODIFIED) {
        heard(pod);
      }
    }

    @Override
    public void onClose(WatcherException cause) {
      throw new TestbedException("nobody watches the pods any more", cause);
    }
  }
}
