package dev.pitcrew.kube.lease;

import java.time.Duration;

/// The Lease, its holder, and its durations.
///
/// @param identity names this process; no two may share it
/// @param lease how long others wait for a holder that says nothing; whole seconds
/// @param renew after how long without success a holder gives up; shorter than `lease`, so that it
///   stops before another starts
/// @param retry between two attempts
public record LeaseOptions(
    String namespace,
    String name,
    String identity,
    Duration lease,
    Duration renew,
    Duration retry) {

  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Duration RENEW = Duration.ofSeconds(10);
  private static final Duration RETRY = Duration.ofSeconds(2);

  public LeaseOptions {
    if (renew.compareTo(lease) >= 0 || retry.compareTo(renew) >= 0) {
      throw new IllegalArgumentException(
          "lease %s, renew %s, retry %s: each must be longer than the next"
              .formatted(lease, renew, retry));
    }
  }

  /// The durations that Kubernetes' own components use: 15, 10 and 2 seconds.
  public static LeaseOptions of(String namespace, String name, String identity) {
    return new LeaseOptions(namespace, name, identity, LEASE, RENEW, RETRY);
  }
}
