package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.Optional;

/// What the condition Ready says of a node. Nothing that is asked of a node that is not ready gets
/// done: its pods do not end, and none starts.
///
/// @param since when that last changed, by the condition; empty where it does not say
/// @param cause why it is not ready, for people; empty where it is
public record Readiness(boolean isReady, Optional<Instant> since, String cause) {

  /// Ready, for as long as is known.
  public static final Readiness READY = new Readiness(true, Optional.empty(), "");

  /// One that is, since then.
  public static Readiness ready(Optional<Instant> since) {
    return new Readiness(true, since, "");
  }

  /// One that is not.
  ///
  /// @param isSilent whether the kubelet has stopped to report, and not said so itself
  /// @param reason in the kubelet's words
  public static Readiness notReady(boolean isSilent, String reason, Optional<Instant> since) {
    return new Readiness(
        false,
        since,
        "%s%s%s"
            .formatted(
                isSilent ? "its kubelet is silent" : "its kubelet says so",
                since.map(at -> " since " + at).orElse(""),
                reason.isEmpty() ? "" : " (" + reason + ")"));
  }

  /// The later of when this came about and another moment.
  Instant sinceAtLeast(Instant other) {
    return since.filter(other::isBefore).orElse(other);
  }
}
