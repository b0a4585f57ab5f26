package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// Follows the ResourceSlices of one driver on one node. The caller reports its own writes, so that
/// what it sees is never older than what it wrote: the watch may show a write later than the reply.
///
/// The API server lists no slices of other nodes to an agent: spec.nodeName and spec.driver are
/// field selectors of resource.k8s.io/v1.
public final class NodeSlices implements AutoCloseable {
  private final Runnable onChange;
  private final Watch watch;
  private final Map<String, JsonNode> slices = new HashMap<>();

  /// Deleted by the caller; the watch has yet to show it.
  private final Set<String> deleted = new HashSet<>();

  private State state = State.UNKNOWN;

  private enum State {
    UNKNOWN,
    UNSERVED,
    LISTED
  }

  /// What is known of them.
  public sealed interface View {

    /// The first list has not been read yet.
    record Unknown() implements View {}

    /// The API server does not serve resource.k8s.io/v1: it came with Kubernetes 1.34.
    record Unserved() implements View {}

    /// @param slices by name; not to be changed
    record Listed(List<JsonNode> slices) implements View {
      public Listed {
        slices = List.copyOf(slices);
      }
    }
  }

  private NodeSlices(ApiServer server, String node, String driver, Runnable onChange) {
    this.onChange = onChange;
    var selection =
        new Watch.Selection(
            "/apis/resource.k8s.io/v1/resourceslices",
            "spec.nodeName%3D" + node + "%2Cspec.driver%3D" + driver,
            "ResourceSlices of " + driver + " on " + node,
            false);
    watch = Watch.start(server, selection, new Slices());
  }

  /// @param node a name that the API server has given, as `driver`
  /// @param onChange called on a thread of the watch after each change, the caller's own ones too
  public static NodeSlices follow(ApiServer server, String node, String driver, Runnable onChange) {
    return new NodeSlices(server, node, driver, onChange);
  }

  public synchronized View now() {
    return switch (state) {
      case UNKNOWN -> new View.Unknown();
      case UNSERVED -> new View.Unserved();
      case LISTED ->
          new View.Listed(
              slices.values().stream()
                  .sorted((one, other) -> name(one).compareTo(name(other)))
                  .toList());
    };
  }

  /// The caller has written this slice.
  ///
  /// @param slice as the server replied
  public synchronized void written(JsonNode slice) {
    keep(slice);
  }

  /// The caller has deleted the slice with this uid.
  public synchronized void deleted(String uid) {
    slices.remove(uid);
    deleted.add(uid);
  }

  /// Why they cannot be seen at present.
  public Optional<String> problem() {
    return watch.problem();
  }

  @Override
  public void close() {
    watch.close();
  }

  private void keep(JsonNode slice) {
    if (!deleted.contains(uid(slice))) {
      slices.merge(uid(slice), slim(slice), (known, seen) -> isNewer(known, seen) ? known : seen);
    }
  }

  /// Versions of objects of one kind are numbers that grow
  /// ([KEP-5504](https://github.com/kubernetes/enhancements/issues/5504)).
  private static boolean isNewer(JsonNode one, JsonNode other) {
    String left = version(one);
    String right = version(other);
    return left.length() == right.length()
        ? left.compareTo(right) > 0
        : left.length() > right.length();
  }

  private static JsonNode slim(JsonNode slice) {
    if (slice.path("metadata") instanceof ObjectNode metadata) {
      metadata.remove("managedFields");
    }
    return slice;
  }

  private static String uid(JsonNode slice) {
    return slice.at("/metadata/uid").asText();
  }

  private static String name(JsonNode slice) {
    return slice.at("/metadata/name").asText();
  }

  private static String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").asText();
  }

  private final class Slices implements Watch.Follower {
    /// A slice that was written after the list was made stays.
    @Override
    public void listed(JsonNode list) {
      synchronized (NodeSlices.this) {
        var listed = new HashSet<String>();
        list.path("items").forEach(slice -> listed.add(uid(slice)));
        slices.values().removeIf(known -> !listed.contains(uid(known)) && isNewer(list, known));
        deleted.retainAll(listed);
        list.path("items").forEach(NodeSlices.this::keep);
        state = State.LISTED;
      }
      onChange.run();
    }

    @Override
    public void changed(JsonNode slice) {
      synchronized (NodeSlices.this) {
        keep(slice);
      }
      onChange.run();
    }

    @Override
    public void deleted(JsonNode slice) {
      synchronized (NodeSlices.this) {
        slices.remove(uid(slice));
        deleted.remove(uid(slice));
      }
      onChange.run();
    }

    @Override
    public void unserved() {
      synchronized (NodeSlices.this) {
        if (state == State.UNSERVED) {
          return;
        }
        state = State.UNSERVED;
        slices.clear();
      }
      onChange.run();
    }
  }
}
