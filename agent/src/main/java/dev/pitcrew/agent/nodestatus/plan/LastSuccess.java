package dev.pitcrew.agent.nodestatus.plan;

import java.time.Instant;

/// Whether something is well, and since when it is not.
///
/// @param at while it is not well, when it was last; the epoch where it never was
public record LastSuccess(boolean isWell, Instant at) {
  public static final LastSuccess NEVER = new LastSuccess(false, Instant.EPOCH);

  public LastSuccess next(boolean isWellNow, Instant now) {
    return new LastSuccess(isWellNow, isWell ? now : at);
  }

  /// What is well now was seen so now: no repeated check is needed.
  Instant time(Instant now) {
    return isWell ? now : at;
  }
}
