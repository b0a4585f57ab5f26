package dev.pitcrew.agent.dra.domains;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import dev.pitcrew.agent.cluster.WriteRetry;
import dev.pitcrew.agent.dra.domains.plan.Domain;
import dev.pitcrew.agent.dra.domains.plan.DomainReadiness;
import dev.pitcrew.core.names.NodeLabels;
import java.net.HttpURLConnection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The objects of the API server that claims for ComputeDomains depend on: the domains, their
/// cliques, and the label of the own Node that brings the daemon of a domain there.
final class DomainObjects {
  private static final String API = "resource.nvidia.com/v1beta1";
  private static final String DOMAINS = "computedomains";
  private static final String CLIQUES = "computedomaincliques";

  /// Others write the Node, too.
  private static final int TRIES = 5;

  private final ApiServer server;
  private final ObjectPath node;

  /// What was found.
  sealed interface Found {
    record Known(Domain domain) implements Found {}

    record Unknown() implements Found {}

    record Failed(String reason) implements Found {}
  }

  DomainObjects(ApiServer server, String node) {
    this.server = server;
    this.node = ObjectPath.of("v1", "nodes", node);
  }

  static ObjectPath path(Domain domain) {
    return ObjectPath.of(API, DOMAINS, domain.namespace(), domain.name());
  }

  /// In any namespace.
  static ObjectPath clique(Domain domain, String clique) {
    return ObjectPath.of(API, CLIQUES, domain.uid() + "." + clique);
  }

  /// Claims name a domain by its UID, by which the API server finds nothing: a list of all.
  Found find(String uid) {
    return switch (server.list(API, DOMAINS)) {
      case Reply.Done(var list) ->
          Domain.find(list, uid).<Found>map(Found.Known::new).orElseGet(Found.Unknown::new);
      case Reply.Refused refused when refused.status() == HttpURLConnection.HTTP_NOT_FOUND ->
          new Found.Failed(
              "the API server does not serve ComputeDomains of %s; install their CustomResourceDefinition"
                  .formatted(API));
      case Reply.Refused refused ->
          new Found.Failed("ComputeDomains cannot be listed: " + refused.message());
      case Reply.Unanswered(var reason) ->
          new Found.Failed("ComputeDomains cannot be listed: " + reason);
    };
  }

  /// The UIDs of all domains; empty where they cannot be listed.
  Optional<Set<String>> all() {
    return server.list(API, DOMAINS) instanceof Reply.Done(var list)
        ? Optional.of(
            list.path("items")
                .valueStream()
                .map(item -> item.at("/metadata/uid").asText())
                .collect(Collectors.toUnmodifiableSet()))
        : Optional.empty();
  }

  DomainSight follow(Domain domain, Optional<String> clique) {
    return DomainSight.follow(server, node, domain, clique);
  }

  /// Labels the Node for a domain, unless it has the label of another.
  ///
  /// @return why the Node could not be read or written
  Optional<String> label(String uid) {
    return change("", uid);
  }

  /// Removes the label of a domain from the Node.
  ///
  /// @param uid an empty text for the label of any domain
  /// @return why the Node could not be read or written
  Optional<String> unlabel(String uid) {
    return change(uid, "");
  }

  /// Replaces a value of the label; an empty text is none. The version of the Node is part of the
  /// patch, so that the value of another writer is never replaced.
  private Optional<String> change(String from, String to) {
    String problem = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      Reply read = server.get(node, WriteRetry.DEADLINE);
      if (!(read instanceof Reply.Done(var live))) {
        return Optional.of("node %s cannot be read: %s".formatted(node.name(), words(read)));
      }
      String label = DomainReadiness.label(live);
      boolean isAsItWas = label.equals(from) || (to.isEmpty() && from.isEmpty());
      if (label.equals(to) || !isAsItWas) {
        return Optional.empty();
      }
      Reply written =
          server.merge(
              node, patch(live.at("/metadata/resourceVersion").asText(), to), WriteRetry.DEADLINE);
      switch (written) {
        case Reply.Done _ -> {
          return Optional.empty();
        }
        case Reply.Refused refused when refused.status() == HttpURLConnection.HTTP_CONFLICT ->
            problem = refused.message();
        case Reply.Refused _, Reply.Unanswered _ -> {
          return Optional.of(cannotBeLabelled(words(written)));
        }
      }
    }
    return Optional.of(cannotBeLabelled(problem));
  }

  private String cannotBeLabelled(String reason) {
    return "label %s of node %s cannot be changed: %s"
        .formatted(NodeLabels.COMPUTE_DOMAIN, node.name(), reason);
  }

  private static ObjectNode patch(String version, String value) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = patch.putObject("metadata").put("resourceVersion", version);
    ObjectNode labels = metadata.putObject("labels");
    if (value.isEmpty()) {
      labels.putNull(NodeLabels.COMPUTE_DOMAIN);
    } else {
      labels.put(NodeLabels.COMPUTE_DOMAIN, value);
    }
    return patch;
  }

  private static String words(Reply reply) {
    return switch (reply) {
      case Reply.Done _ -> "";
      case Reply.Refused refused -> "%d %s".formatted(refused.status(), refused.message());
      case Reply.Unanswered(var reason) -> reason;
    };
  }
}
