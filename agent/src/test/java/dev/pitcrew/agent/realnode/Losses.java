package dev.pitcrew.agent.realnode;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// Watches a Node and its GPUNode, and remembers each label of ours that vanished and each end of
/// the GPUNode.
final class Losses implements AutoCloseable {
  private static final List<String> OURS = List.of("nvidia.com/", "feature.node.kubernetes.io/");

  private final List<String> seen = new CopyOnWriteArrayList<>();
  private final SharedIndexInformer<Node> node;
  private final SharedIndexInformer<GenericKubernetesResource> gpuNode;

  private Losses(KubernetesClient client, String name) {
    node = client.nodes().withName(name).inform(new Watcher<>());
    gpuNode =
        client
            .genericKubernetesResources(AgentOnNode.GPU_NODES)
            .withName(name)
            .inform(new Watcher<>());
  }

  static Losses watch(KubernetesClient client, String name) {
    return new Losses(client, name);
  }

  List<String> seen() {
    return List.copyOf(seen);
  }

  /// How many labels of ours the Node has now.
  int labels() {
    return node.getStore().list().stream().mapToInt(live -> ours(live).size()).sum();
  }

  private static Set<String> ours(HasMetadata live) {
    Map<String, String> labels = live.getMetadata().getLabels();
    Stream<String> keys = labels == null ? Stream.empty() : labels.keySet().stream();
    var ours = new TreeSet<String>();
    keys.filter(key -> OURS.stream().anyMatch(key::startsWith)).forEach(ours::add);
    return ours;
  }

  private final class Watcher<T extends HasMetadata> implements ResourceEventHandler<T> {
    @Override
    public void onAdd(T live) {}

    @Override
    public void onUpdate(T before, T after) {
      Set<String> gone = ours(before);
      gone.removeAll(ours(after));
      gone.forEach(label -> seen.add("label " + label));
    }

    @Override
    public void onDelete(T last, boolean isFinalStateUnknown) {
      seen.add(last.getKind() + " " + last.getMetadata().getName());
    }
  }

  @Override
  public void close() {
    node.close();
    gpuNode.close();
  }
}
