package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/// Follows the pods of one namespace on one node, whole but for who wrote which field. For a
/// program that ends soon: an agent keeps no pods.
public final class NodePods implements AutoCloseable {
  private final Runnable onChange;
  private final Watch watch;
  private volatile Optional<Map<String, JsonNode>> pods = Optional.empty();

  private NodePods(ApiServer server, String namespace, String node, Runnable onChange) {
    this.onChange = onChange;
    var selection =
        new Watch.Selection(
            "/api/v1/namespaces/" + namespace + "/pods",
            "spec.nodeName%3D" + node,
            "pods of " + namespace + " on " + node,
            false);
    watch = Watch.start(server, selection, new Pods());
  }

  /// @param namespace a name that the API server has given, as `node`
  /// @param onChange called on a thread of the watch
  public static NodePods follow(
      ApiServer server, String namespace, String node, Runnable onChange) {
    return new NodePods(server, namespace, node, onChange);
  }

  /// Those that there are; empty before the first list.
  public Optional<List<JsonNode>> now() {
    return pods.map(all -> List.copyOf(all.values()));
  }

  /// Why they cannot be seen at present.
  public Optional<String> problem() {
    return watch.problem();
  }

  @Override
  public void close() {
    watch.close();
  }

  private final class Pods implements Watch.Follower {
    @Override
    public void listed(JsonNode list) {
      var all = new HashMap<String, JsonNode>();
      list.path("items").forEach(pod -> all.put(uid(pod), slim(pod)));
      publish(Optional.of(all));
    }

    @Override
    public void changed(JsonNode pod) {
      change(all -> all.put(uid(pod), slim(pod)));
    }

    @Override
    public void deleted(JsonNode pod) {
      change(all -> all.remove(uid(pod)));
    }

    @Override
    public void unserved() {
      publish(Optional.empty());
    }

    /// A reader sees all pods as of one moment.
    private void change(Consumer<Map<String, JsonNode>> change) {
      var all = new HashMap<>(pods.orElse(Map.of()));
      change.accept(all);
      publish(Optional.of(all));
    }

    private void publish(Optional<Map<String, JsonNode>> now) {
      pods = now;
      onChange.run();
    }

    /// Without `managedFields`, a third of it, which no caller reads.
    private static JsonNode slim(JsonNode pod) {
      if (pod.path("metadata") instanceof ObjectNode metadata) {
        metadata.remove("managedFields");
      }
      return pod;
    }

    private static String uid(JsonNode pod) {
      return pod.at("/metadata/uid").asText();
    }
  }
}
