package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.cluster.SchemaLimits;

/// An Event to send. It regards the Node, where `kubectl describe node` shows it, with the GPUNode
/// as its related object.
///
/// @param reason in CamelCase
/// @param note in plain words
public record NodeEvent(Type type, String reason, String note) {

  /// The types that the API server takes.
  public enum Type {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String text;

    Type(String text) {
      this.text = text;
    }

    /// As the Event has it.
    public String text() {
      return text;
    }
  }

  static NodeEvent normal(String reason, String note) {
    return new NodeEvent(Type.NORMAL, reason, SchemaLimits.note(note));
  }

  static NodeEvent warning(String reason, String note) {
    return new NodeEvent(Type.WARNING, reason, SchemaLimits.note(note));
  }
}
