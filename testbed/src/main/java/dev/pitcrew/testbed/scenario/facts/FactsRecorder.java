package dev.pitcrew.testbed.scenario.facts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.testbed.scenario.api.ApiServer;
import java.util.EnumMap;
import java.util.List;

/// Reads a cluster and reduces it to facts.
///
/// @param api where the cluster is served
/// @param recording the namespace, and the digests numbered so far
public record FactsRecorder(ApiServer api, Recording recording) {

  /// The facts of the cluster as it is now.
  public ObjectNode record() {
    return ClusterFacts.of(read(), recording);
  }

  /// The objects that facts are made of. Kinds that the server does not serve have no objects.
  public ClusterObjects read() {
    var byKind = new EnumMap<RecordedKind, List<JsonNode>>(RecordedKind.class);
    for (var kind : RecordedKind.values()) {
      byKind.put(kind, api.list(kind.path(recording.namespace())));
    }
    var namespace = api.find("/api/v1/namespaces/" + recording.namespace());
    return new ClusterObjects(byKind, namespace.orElse(MissingNode.getInstance()));
  }
}
