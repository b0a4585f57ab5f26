package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.Optional;

/// What a node waits for.
///
/// @param blocker what it is that has to end or to come, naming the pod or the cause
/// @param deadline when something else happens if it does not
/// @param next what happens next, or what to do so that it can
public record Waiting(String blocker, Optional<Instant> deadline, String next) {

  /// Nothing.
  public static final Waiting NONE = new Waiting("", Optional.empty(), "");

  public static Waiting of(String blocker, String next) {
    return new Waiting(blocker, Optional.empty(), next);
  }

  static Waiting until(Instant deadline, String blocker, String next) {
    return new Waiting(blocker, Optional.of(deadline), next);
  }
}
