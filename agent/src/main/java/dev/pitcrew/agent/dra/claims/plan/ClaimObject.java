package dev.pitcrew.agent.dra.claims.plan;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A ResourceClaim of `resource.k8s.io/v1` as far as its preparation needs it.
///
/// @param uid is part of file names, so it has letters, digits and hyphens only
/// @param status as the API server gives it; a missing node where there is none
public record ClaimObject(String namespace, String name, String uid, JsonNode status) {
  private static final Pattern UID = Pattern.compile("[0-9A-Za-z][0-9A-Za-z-]{0,99}");

  public sealed interface Reading {
    record Valid(ClaimObject claim) implements Reading {}

    record Invalid(String reason) implements Reading {}
  }

  /// Reads the object of the API server. No tree makes it throw.
  public static Reading of(JsonNode object) {
    JsonNode metadata = object.path("metadata");
    String namespace = metadata.path("namespace").asText("");
    String name = metadata.path("name").asText("");
    String uid = metadata.path("uid").asText("");
    return UID.matcher(uid).matches()
        ? new Reading.Valid(new ClaimObject(namespace, name, uid, object.path("status")))
        : new Reading.Invalid(
            "claim %s/%s: metadata.uid is \"%s\"; allowed: letters, digits and hyphens"
                .formatted(
                    ObjectReader.shorten(namespace),
                    ObjectReader.shorten(name),
                    ObjectReader.shorten(uid)));
  }

  /// A pod that uses the claim.
  public record Pod(String name, String uid) {}

  public Stream<Pod> pods() {
    return status
        .path("reservedFor")
        .valueStream()
        .filter(it -> it.path("resource").asText().equals("pods"))
        .map(it -> new Pod(it.path("name").asText(), it.path("uid").asText()));
  }

  /// For messages.
  public String text() {
    return namespace + "/" + name;
  }
}
