package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.List;
import java.util.Map;

/// What was read from a cluster at one time: the objects of each recorded kind in the API server's
/// order, and the operator's namespace (a missing node where it does not exist).
public record ClusterObjects(Map<RecordedKind, List<JsonNode>> byKind, JsonNode namespace) {

  public ClusterObjects {
    byKind = Map.copyOf(byKind);
  }

  /// Objects of a cluster whose operator namespace does not exist or does not matter.
  public static ClusterObjects of(Map<RecordedKind, List<JsonNode>> byKind) {
    return new ClusterObjects(byKind, MissingNode.getInstance());
  }

  List<JsonNode> of(RecordedKind kind) {
    return byKind.getOrDefault(kind, List.of());
  }

  /// Whether the controller manager has counted the newest version of every DaemonSet: only then is
  /// `desiredNodes` a fact about what the operator wrote last.
  public boolean isCounted() {
    return of(RecordedKind.DAEMON_SET).stream().allMatch(ClusterObjects::isCounted);
  }

  private static boolean isCounted(JsonNode daemonSet) {
    return daemonSet.at("/status/observedGeneration").asLong(-1)
        == daemonSet.at("/metadata/generation").asLong();
  }
}
