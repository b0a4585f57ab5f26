package dev.pitcrew.operator.runtime;

import dev.pitcrew.operator.policy.Verdict;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// Debounces progress before an Event reports it: it keeps how long the policy in force has not
/// been ready, and whether an Event has reported that. On a large cluster some pod is always being
/// replaced and some node is always joining, which is worth an Event only if it lasts.
///
/// For use by one thread at a time.
final class ProgressDebounce {
  static final Duration SHORT = Duration.ofSeconds(10);

  private @Nullable Instant since;

  /// A previous operator process may have reported it.
  private boolean reported = true;

  /// Takes in the newest verdict.
  ///
  /// @return whether an Event should report it
  boolean takeIn(Verdict verdict, Instant now) {
    if (verdict.isReady()) {
      since = null;
      return reported;
    }
    since = since == null ? now : since;
    return !verdict.isProgress() || (!reported && remaining(now).isZero());
  }

  /// The verdict was written, and reported if it was to be.
  void written(Verdict verdict, boolean emits) {
    reported = !verdict.isReady() && (reported || emits);
  }

  /// There is no policy any more.
  void end() {
    since = null;
    reported = true;
  }

  /// How long until what is not ready now counts as lasting; zero if it does, or if all is ready.
  Duration remaining(Instant now) {
    if (since == null) {
      return Duration.ZERO;
    }
    Duration remaining = SHORT.minus(Duration.between(since, now));
    return remaining.isNegative() ? Duration.ZERO : remaining;
  }
}
