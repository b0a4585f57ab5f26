package dev.pitcrew.agent.host;

/// Who sets a part of a host up.
///
/// @param reason for people
public record Ownership(Owner owner, String reason) {
  public enum Owner {
    PITCREW,
    /// The provider of the host: left alone.
    HOST
  }

  static Ownership pitcrew(String reason) {
    return new Ownership(Owner.PITCREW, reason);
  }

  static Ownership host(String reason) {
    return new Ownership(Owner.HOST, reason);
  }

  public boolean isLeftAlone() {
    return owner == Owner.HOST;
  }
}
