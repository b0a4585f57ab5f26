package dev.pitcrew.agent.dra.domains.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.core.names.NodeLabels;
import java.util.Optional;

/// Whether containers of a ComputeDomain can start on a node: its Node has the label of the domain,
/// and the IMEX daemon of the domain that this label brings there is ready. The daemon reports to
/// the ComputeDomainClique; on nodes without a fabric, and with older controllers, the status of
/// the ComputeDomain has it.
public sealed interface DomainReadiness {
  record Ready() implements DomainReadiness {}

  /// The Node is free for the domain and is to be labelled.
  record Unlabelled() implements DomainReadiness {}

  /// @param reason what is waited for, and what to do if it does not come
  record Waiting(String reason) implements DomainReadiness {}

  /// The domain is gone, or about to go.
  record Gone(String reason) implements DomainReadiness {}

  /// What has been seen; empty where the API server has not answered.
  ///
  /// @param node the Node
  /// @param domain the ComputeDomain; a missing node where it is not there
  /// @param clique the ComputeDomainClique; a missing node where it is not there
  record Seen(Optional<JsonNode> node, Optional<JsonNode> domain, Optional<JsonNode> clique) {
    public static final Seen NOTHING =
        new Seen(Optional.empty(), Optional.empty(), Optional.empty());
  }

  /// @param node of which it is asked
  static DomainReadiness of(Seen seen, Domain domain, DomainNode node) {
    if (seen.node().isEmpty() || seen.domain().isEmpty()) {
      return new Waiting("the API server does not show the Node and the ComputeDomain");
    }
    JsonNode metadata = seen.domain().get().path("metadata");
    if (!metadata.path("uid").asText().equals(domain.uid())) {
      return new Gone("ComputeDomain %s was deleted".formatted(domain.text()));
    }
    if (metadata.hasNonNull("deletionTimestamp")) {
      return new Gone("ComputeDomain %s is being deleted".formatted(domain.text()));
    }
    String label = label(seen.node().get());
    if (label.isEmpty()) {
      return new Unlabelled();
    }
    if (!label.equals(domain.uid())) {
      return new Waiting(
          "node %s serves the ComputeDomain with the UID %s (label %s), and a node serves one at a time; wait until the pods of that domain on the node end, or remove the label if that domain is gone"
              .formatted(node.node(), label, NodeLabels.COMPUTE_DOMAIN));
    }
    return daemon(seen, domain, node);
  }

  /// The UID of the ComputeDomain that a Node serves; an empty text where it serves none.
  static String label(JsonNode node) {
    return node.path("metadata").path("labels").path(NodeLabels.COMPUTE_DOMAIN).asText("");
  }

  private static DomainReadiness daemon(Seen seen, Domain domain, DomainNode node) {
    Optional<String> inClique =
        seen.clique().flatMap(clique -> status(clique.path("daemons"), "nodeName", node.node()));
    Optional<String> inStatus =
        seen.domain().flatMap(it -> status(it.at("/status/nodes"), "name", node.node()));
    if (inClique.filter("Ready"::equals).isPresent()
        || inStatus.filter("Ready"::equals).isPresent()) {
      return new Ready();
    }
    String where =
        node.clique().map(it -> "clique " + it).orElse("the status of its ComputeDomain");
    return new Waiting(
        inClique
            .or(() -> inStatus)
            .map(status ->
                "the IMEX daemon of ComputeDomain %s on node %s is %s; see the log of its pod of DaemonSet computedomain-daemon-%s"
                    .formatted(domain.text(), node.node(), status, domain.uid()))
            .orElseGet(() ->
                "node %s is not in %s: the IMEX daemon of ComputeDomain %s has not reported there; see the pods of DaemonSet computedomain-daemon-%s"
                    .formatted(node.node(), where, domain.text(), domain.uid())));
  }

  private static Optional<String> status(JsonNode entries, String field, String node) {
    return entries
        .valueStream()
        .filter(entry -> entry.path(field).asText().equals(node))
        .map(entry -> entry.path("status").asText("NotReady"))
        .findFirst();
  }
}
