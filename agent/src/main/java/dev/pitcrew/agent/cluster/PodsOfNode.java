package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/// Follows the labels of the pods of one node. Nothing else of them is kept.
public final class PodsOfNode implements AutoCloseable {
  private final Map<String, PodMarks> pods = new ConcurrentHashMap<>();
  private final Watch watch;

  /// What a pod has besides its name.
  public record PodMarks(Map<String, String> labels) {
    public PodMarks {
      labels = Map.copyOf(labels);
    }

    private static PodMarks of(JsonNode pod) {
      return new PodMarks(
          pod.at("/metadata/labels").properties().stream()
              .collect(Collectors.toMap(Map.Entry::getKey, label -> label.getValue().asText())));
    }
  }

  private PodsOfNode(ApiServer server, String node) {
    var selection =
        new Watch.Selection("/api/v1/pods", "spec.nodeName%3D" + node, "pods of " + node, true);
    watch = Watch.start(server, selection, new Marks());
  }

  /// @param node a name that the API server has given
  public static PodsOfNode follow(ApiServer server, String node) {
    return new PodsOfNode(server, node);
  }

  /// Empty for a pod that was not seen yet.
  public Optional<PodMarks> of(String namespace, String name) {
    return Optional.ofNullable(pods.get(namespace + "/" + name));
  }

  /// Why they cannot be seen at present.
  public Optional<String> problem() {
    return watch.problem();
  }

  @Override
  public void close() {
    watch.close();
  }

  private static String key(JsonNode pod) {
    return pod.at("/metadata/namespace").asText() + "/" + pod.at("/metadata/name").asText();
  }

  private final class Marks implements Watch.Follower {
    @Override
    public void listed(JsonNode list) {
      var all =
          list.path("items")
              .valueStream()
              .collect(Collectors.toMap(PodsOfNode::key, PodMarks::of, (_, later) -> later));
      pods.keySet().retainAll(all.keySet());
      pods.putAll(all);
    }

    @Override
    public void changed(JsonNode object) {
      pods.put(key(object), PodMarks.of(object));
    }

    @Override
    public void deleted(JsonNode object) {
      pods.remove(key(object));
    }

    @Override
    public void unserved() {
      pods.clear();
    }
  }
}
