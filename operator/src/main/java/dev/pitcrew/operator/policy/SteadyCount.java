package dev.pitcrew.operator.policy;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/// How many pods of a DaemonSet are ready and stay so. A container that crashes is Running and
/// Ready for a moment after each start where its pod has no readiness probe, as the operands' have
/// none.
///
/// A count that falls holds at once. One that rises holds after [#TIME], at the lowest that was
/// seen meanwhile.
public final class SteadyCount {
  /// Longer than the kubelet's first back-off before it restarts a container (10 s) would let a
  /// crash go unseen.
  public static final Duration TIME = Duration.ofSeconds(10);

  private int steady;
  private int lowest;
  private Optional<Instant> risingSince = Optional.empty();

  /// Takes up a count, which may be the same as before.
  ///
  /// @return what holds
  public int take(int count, Instant now) {
    if (count <= steady) {
      steady = count;
      risingSince = Optional.empty();
      return steady;
    }
    lowest = risingSince.isEmpty() ? count : Math.min(lowest, count);
    Instant since = risingSince.orElse(now);
    risingSince = Optional.of(since);
    if (!now.isBefore(since.plus(TIME))) {
      steady = lowest;
      risingSince = Optional.empty();
    }
    return steady;
  }

  /// Whether a higher count may hold later.
  public boolean isRising() {
    return risingSince.isPresent();
  }
}
