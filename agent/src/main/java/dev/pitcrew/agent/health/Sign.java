package dev.pitcrew.agent.health;

import dev.pitcrew.api.node.HealthLevel;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// One piece of evidence against a GPU or a MIG device. It does not change while it lasts, so that
/// a reading that finds it again is no change.
///
/// @param since when it was seen first
/// @param counts whether it has lasted long enough to count
/// @param gone since when it is no longer reported; empty while it is there. An Xid is reported
///   once, and gone at once; a reset has this until it is known to have been made
public record Sign(
    SignKind kind, long value, Instant since, boolean counts, Optional<Instant> gone) {
  /// What happens again within this time is not recorded again.
  private static final Duration STORM = Duration.ofSeconds(10);

  /// An Xid that is reported now.
  static Sign xid(long number, Instant now) {
    return new Sign(SignKind.XID, number, now, true, Optional.of(now));
  }

  /// A state that is seen for the first time.
  static Sign seen(SignKind kind, long value, Instant now) {
    return new Sign(kind, value, now, kind.minimumDuration().isZero(), Optional.empty());
  }

  /// The same state, seen again.
  Sign again(long now, Instant at) {
    boolean lasts = !Duration.between(since, at).minus(kind.minimumDuration()).isNegative();
    return new Sign(kind, now, since, counts || lasts, Optional.empty());
  }

  /// A reset that is about to be made; whether it helps is not known yet.
  static Sign reset(long number, Instant now) {
    return new Sign(SignKind.RESET_IN_VAIN, number, now, false, Optional.of(now));
  }

  /// A reset that was made. An agent that is killed before does not record this.
  Sign made() {
    return new Sign(kind, value, since, counts, Optional.empty());
  }

  /// Whether a reset is known to have been made.
  public boolean isMade() {
    return gone.isEmpty();
  }

  /// What a reset was made for is still there.
  Sign inVain() {
    return new Sign(kind, value, since, true, gone);
  }

  /// The same Xid, reported again.
  Sign repeated(Instant now) {
    boolean isStorm = gone.filter(last -> now.isBefore(last.plus(STORM))).isPresent();
    return isStorm ? this : new Sign(kind, value, since, counts, Optional.of(now));
  }

  /// What is left of it when it is no longer reported: what merely degrades must stay away for a
  /// while, to avoid flapping; what is worse goes only by a reset, and is over then. An Xid that
  /// merely degrades expires by time alone.
  Optional<Sign> unseen(Instant now, Duration recoverAfter) {
    boolean isLasting = level() != HealthLevel.DEGRADED;
    if (kind == SignKind.XID && isLasting) {
      return Optional.of(this);
    }
    if (!counts || isLasting) {
      return Optional.empty();
    }
    Instant began = gone.orElse(now);
    return Optional.of(new Sign(kind, value, since, true, Optional.of(began)))
        .filter(_ -> now.isBefore(began.plus(recoverAfter)));
  }

  public HealthLevel level() {
    return kind.level(value);
  }

  public boolean isXid() {
    return kind == SignKind.XID;
  }

  /// For people, without the time.
  public String text() {
    return kind.text(value);
  }

  /// For the kubelet's devices, in short.
  String reason() {
    return isXid() ? "Xid " + value : text();
  }
}
