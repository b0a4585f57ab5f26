package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.Optional;

/// Why a node that wants the new driver does not begin.
///
/// @param until when time alone changes that
public record Hold(String why, Optional<Instant> until, String next) {

  static Hold of(String why, String next) {
    return new Hold(why, Optional.empty(), next);
  }

  Waiting waiting() {
    return new Waiting(why, until, next);
  }
}
