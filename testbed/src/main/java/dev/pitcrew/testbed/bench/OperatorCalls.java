package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.controlplane.AuditTail;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/// What the operator has asked of the API server, by the audit log.
final class OperatorCalls {
  private final AuditTail tail;

  OperatorCalls(AuditTail tail) {
    this.tail = tail;
  }

  List<Request> all() {
    return tail.requests();
  }

  /// Requests that arrived from `from` on and not after `to`.
  List<Request> between(Instant from, Instant to) {
    return all().stream()
        .filter(request -> !request.received().isBefore(from) && !request.received().isAfter(to))
        .toList();
  }

  List<Request> since(Instant from) {
    return between(from, Instant.MAX);
  }

  /// Waits until the operator has written and read nothing for `quiet`, its lease and its watches
  /// aside.
  ///
  /// @return whether it came to rest within `limit`
  boolean awaitQuiet(Duration quiet, Duration limit) {
    Predicate<Request> isWork =
        request -> CallCounts.isMutating(request) || CallCounts.isReading(request);
    // Measured from now on: the operator may be about to notice what has just been done.
    var begin = Instant.now();
    return Await.upTo(
        limit,
        () -> {
          var silentSince = Instant.now().minus(quiet);
          return !silentSince.isBefore(begin) && since(silentSince).stream().noneMatch(isWork);
        });
  }
}
