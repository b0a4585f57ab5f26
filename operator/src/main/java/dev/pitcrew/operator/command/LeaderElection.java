package dev.pitcrew.operator.command;

import java.time.Duration;

/// Whether and how one replica is chosen to act.
///
/// @param namespace of the lease
/// @param leaseDuration how long a lease holds that is not renewed
/// @param renewDeadline how long the leader tries to renew before it gives up
/// @param retryPeriod between two tries
public record LeaderElection(
    boolean enabled,
    String namespace,
    Duration leaseDuration,
    Duration renewDeadline,
    Duration retryPeriod) {
  private static final Duration RENEW_DEADLINE = Duration.ofSeconds(10);
  private static final Duration LEASE_MARGIN = Duration.ofSeconds(5);
  private static final Duration RETRY_PERIOD = Duration.ofSeconds(2);

  /// The lease outlives the renew deadline by five seconds; a deadline of zero means the default of
  /// ten.
  static LeaderElection of(boolean enabled, String namespace, Duration renewDeadline) {
    Duration deadline = renewDeadline.isZero() ? RENEW_DEADLINE : renewDeadline;
    return new LeaderElection(
        enabled, namespace, deadline.plus(LEASE_MARGIN), deadline, RETRY_PERIOD);
  }
}
