package dev.pitcrew.agent.dra.domains.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;

/// A ComputeDomain as far as claims need it.
///
/// @param uid as claims name it
public record Domain(String uid, String namespace, String name) {
  /// @param list of all ComputeDomains, as the API server gives it
  public static Optional<Domain> find(JsonNode list, String uid) {
    return list.path("items")
        .valueStream()
        .map(item -> item.path("metadata"))
        .filter(metadata -> metadata.path("uid").asText().equals(uid))
        .map(metadata ->
            new Domain(uid, metadata.path("namespace").asText(), metadata.path("name").asText()))
        .findFirst();
  }

  /// For messages.
  public String text() {
    return namespace + "/" + name;
  }
}
