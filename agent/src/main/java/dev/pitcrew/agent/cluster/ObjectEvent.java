package dev.pitcrew.agent.cluster;

import com.fasterxml.jackson.databind.JsonNode;

/// What an Event is about: reported again in the same words, it is the same.
///
/// @param regarding the object that it is about
/// @param reason CamelCase, at most 128 characters
/// @param note for people, with the value and the remedy
public record ObjectEvent(Subject regarding, Type type, String reason, String note) {

  /// Whether something is wrong.
  public enum Type {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /// @param namespace empty where the object has none
  /// @param uid empty where it is not known
  public record Subject(String apiVersion, String kind, String namespace, String name, String uid) {

    /// A pod.
    public static Subject pod(String namespace, String name, String uid) {
      return new Subject("v1", "Pod", namespace, name, uid);
    }

    /// The subject of an object as the server has it.
    public static Subject of(JsonNode object) {
      return new Subject(
          object.path("apiVersion").asText(),
          object.path("kind").asText(),
          object.at("/metadata/namespace").asText(),
          object.at("/metadata/name").asText(),
          object.at("/metadata/uid").asText());
    }
  }
}
