package dev.pitcrew.operator.scenario;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/// Who offers the devices of a node to its kubelet: a pod of the reference's device plugin, or the
/// agent by the word of its GPUNode.
///
/// Pods and GPUNodes come over two watches, so resource versions show what happened first: they are
/// revisions of one etcd.
final class Providers implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PLUGIN = "nvidia-device-plugin-daemonset";
  private static final String LABEL = "nvidia.com/gpu.deploy.device-plugin";

  /// From this revision on one of them provides on a node, or does not.
  private record Step(String node, String who, boolean provides) {}

  private final KubernetesClient client;
  private final ConcurrentSkipListMap<Long, Step> steps = new ConcurrentSkipListMap<>();
  private final SharedIndexInformer<Pod> plugins;
  private final SharedIndexInformer<GenericKubernetesResource> reports;

  Providers(KubernetesClient client) {
    this.client = client;
    plugins =
        client
            .pods()
            .inNamespace(Scene.NAMESPACE)
            .withLabel("app", PLUGIN)
            .inform(new Watcher<>(Providers::plugin));
    reports =
        client
            .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
            .inform(new Watcher<>(Providers::agent));
  }

  /// How many nodes had no provider at the same time, at most, after each had one.
  int mostWithoutAny() {
    var providers = new TreeMap<String, Set<String>>();
    var most = 0;
    for (var step : steps.values()) {
      if (step.provides()) {
        providers.computeIfAbsent(step.node(), _ -> new TreeSet<>()).add(step.who());
      } else if (providers.containsKey(step.node())) {
        providers.get(step.node()).remove(step.who());
      }
      most = Math.max(most, (int) providers.values().stream().filter(Set::isEmpty).count());
    }
    return most;
  }

  /// The nodes with a pod of the reference's plugin, and the pod's uid.
  Map<String, String> plugins() {
    return plugins.getStore().list().stream()
        .filter(Providers::isServing)
        .collect(
            Collectors.toMap(
                pod -> pod.getSpec().getNodeName(),
                pod -> pod.getMetadata().getUid(),
                (one, other) -> one + " and " + other,
                TreeMap::new));
  }

  /// The nodes whose agent offers the devices.
  List<String> agents() {
    return reports.getStore().list().stream()
        .filter(report -> offers(JSON.valueToTree(report)))
        .map(report -> report.getMetadata().getName())
        .sorted()
        .toList();
  }

  /// The label by which the plugin's pod comes to a node, of each.
  Map<String, String> labels() {
    return client.nodes().list().getItems().stream()
        .collect(
            Collectors.toMap(
                node -> node.getMetadata().getName(),
                node -> node.getMetadata().getLabels().getOrDefault(LABEL, "")));
  }

  private static Step plugin(Pod pod, boolean isThere) {
    return new Step(pod.getSpec().getNodeName(), "plugin", isThere && isServing(pod));
  }

  private static Step agent(GenericKubernetesResource report, boolean isThere) {
    return new Step(
        report.getMetadata().getName(), "agent", isThere && offers(JSON.valueToTree(report)));
  }

  private static boolean isServing(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus().getConditions().stream()
            .anyMatch(it -> it.getType().equals("Ready") && it.getStatus().equals("True"));
  }

  private static boolean offers(JsonNode report) {
    var isNamed = false;
    for (var function : report.at("/status/agent/functions")) {
      isNamed |= function.asText().equals("devicePlugin");
    }
    var isAdvertised = false;
    for (var condition : report.at("/status/conditions")) {
      isAdvertised |=
          condition.path("type").asText().equals("DevicesAdvertised")
              && condition.path("status").asText().equals("True");
    }
    return isNamed && isAdvertised;
  }

  @Override
  public void close() {
    plugins.close();
    reports.close();
  }

  @FunctionalInterface
  private interface Read<T> {
    Step of(T object, boolean isThere);
  }

  private final class Watcher<T extends HasMetadata> implements ResourceEventHandler<T> {
    private final Read<T> read;

    Watcher(Read<T> read) {
      this.read = read;
    }

    private void note(T object, boolean isThere) {
      var step = read.of(object, isThere);
      if (step.node() != null) {
        steps.put(Long.parseLong(object.getMetadata().getResourceVersion()), step);
      }
    }

    @Override
    public void onAdd(T added) {
      note(added, true);
    }

    @Override
    public void onUpdate(T before, T after) {
      note(after, true);
    }

    @Override
    public void onDelete(T deleted, boolean isStateUnknown) {
      note(deleted, false);
    }
  }
}
