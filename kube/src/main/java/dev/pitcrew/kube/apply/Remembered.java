package dev.pitcrew.kube.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.stream.StreamSupport;

/// What we know of an object since our last apply: enough to decide whether it needs another one.
///
/// @param question what we asked for
/// @param uid of the object that we asked it of
/// @param seenVersion the newest resourceVersion in which our fields were as the API server
///   answered
/// @param owned the fields that are ours
/// @param projection digest of what they said in that answer: the API server normalises (`0.5` CPU
///   becomes `500m`), so that the answer, not the question, is what drift is measured against
record Remembered(
    HasMetadata question, String uid, String seenVersion, FieldSet owned, String projection) {

  static Remembered of(HasMetadata question, JsonNode response, FieldManager manager) {
    FieldSet owned = FieldSet.of(fieldsOf(response, manager), response);
    JsonNode metadata = response.path("metadata");
    return new Remembered(
        question,
        metadata.path("uid").asText(),
        metadata.path("resourceVersion").asText(),
        owned,
        Canonical.digest(owned.projection(response)));
  }

  Remembered seenAt(String version) {
    return new Remembered(question, uid, version, owned, projection);
  }

  boolean matches(JsonNode live) {
    return projection.equals(Canonical.digest(owned.projection(live)));
  }

  /// Kubernetes promises since 1.35 that resourceVersions are comparable numbers; anything else is
  /// newer when it is different.
  boolean isOlderThan(String version) {
    return areNumbers(version, seenVersion)
        ? isLess(seenVersion, version)
        : !version.equals(seenVersion);
  }

  /// Whether our last apply, or what was seen after it, is later than `version`; unknown counts as
  /// no.
  boolean isNewerThan(String version) {
    return areNumbers(version, seenVersion) && isLess(version, seenVersion);
  }

  private static boolean isLess(String number, String other) {
    return number.length() == other.length()
        ? number.compareTo(other) < 0
        : number.length() < other.length();
  }

  private static boolean areNumbers(String version, String other) {
    return isNumber(version) && isNumber(other);
  }

  private static boolean isNumber(String version) {
    return !version.isEmpty() && version.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static JsonNode fieldsOf(JsonNode response, FieldManager manager) {
    return StreamSupport.stream(
            response.path("metadata").path("managedFields").spliterator(), false)
        .filter(entry -> entry.path("manager").asText().equals(manager.name()))
        .filter(entry -> entry.path("operation").asText().equals("Apply"))
        .filter(entry -> entry.path("subresource").asText().isEmpty())
        .map(entry -> entry.path("fieldsV1"))
        .findFirst()
        .orElse(MissingNode.getInstance());
  }
}
