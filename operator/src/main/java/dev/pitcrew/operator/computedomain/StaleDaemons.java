package dev.pitcrew.operator.computedomain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Entries of a ComputeDomainClique whose daemon has gone without removing its own, as with its
/// node.
public final class StaleDaemons {
  private StaleDaemons() {}

  /// The daemons that stay.
  ///
  /// @param clique as the API server has it
  /// @param pods of the daemons of this domain
  /// @return empty where none is to be removed
  public static Optional<ArrayNode> without(JsonNode clique, Collection<DaemonPod> pods) {
    Set<String> nodes = pods.stream().map(DaemonPod::node).collect(Collectors.toSet());
    ArrayNode kept = JsonNodeFactory.instance.arrayNode();
    clique
        .path("daemons")
        .valueStream()
        .filter(daemon -> nodes.contains(daemon.path("nodeName").asText()))
        .forEach(kept::add);
    return kept.size() == clique.path("daemons").size() ? Optional.empty() : Optional.of(kept);
  }
}
