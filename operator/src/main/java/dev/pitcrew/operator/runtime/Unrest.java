package dev.pitcrew.operator.runtime;

import dev.pitcrew.operator.policy.Verdict;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// How long the policy in force has not been ready, and whether an Event has reported it. On a
/// large cluster some pod is always being replaced and some node is always joining: that is news
/// only if it lasts.
///
/// For use by one thread at a time.
final class Unrest {
  static final Duration SHORT = Duration.ofSeconds(10);

  private @Nullable Instant since;

  /// A previous operator process may have reported it.
  private boolean told = true;

  /// Takes in the newest verdict.
  ///
  /// @return whether an Event should report it
  boolean takeIn(Verdict verdict, Instant now) {
    if (verdict.isReady()) {
      since = null;
      return told;
    }
    since = since == null ? now : since;
    return !verdict.isProgress() || (!told && remaining(now).isZero());
  }

  /// The verdict was written, and reported if it was to be.
  void written(Verdict verdict, boolean tell) {
    told = !verdict.isReady() && (told || tell);
  }

  /// There is no policy any more.
  void end() {
    since = null;
    told = true;
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
