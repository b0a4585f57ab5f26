package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// The API calls of the operator in one phase.
///
/// @param byCall how many calls of each kind, such as `patch nodes`
record CallCounts(Map<String, Long> byCall) {
  private static final String LEASES = "coordination.k8s.io/leases";

  CallCounts {
    byCall = Map.copyOf(byCall);
  }

  static CallCounts of(Collection<Request> requests) {
    return new CallCounts(
        requests.stream()
            .collect(
                Collectors.groupingBy(
                    request -> request.verb() + " " + request.resource(), Collectors.counting())));
  }

  /// Calls that write, without the renewal of the leader lease.
  static boolean isMutating(Request request) {
    return request.isMutating() && !isLease(request);
  }

  /// Gets and lists, without those of the leader lease. Opening a watch is neither.
  static boolean isReading(Request request) {
    return (request.verb().equals("get") || request.verb().equals("list")) && !isLease(request);
  }

  static long mutating(Collection<Request> requests) {
    return requests.stream().filter(CallCounts::isMutating).count();
  }

  static long reading(Collection<Request> requests) {
    return requests.stream().filter(CallCounts::isReading).count();
  }

  /// One line, the most frequent call first.
  String text() {
    return new TreeMap<>(byCall)
        .entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .map(entry -> entry.getValue() + " " + entry.getKey())
            .collect(Collectors.joining(", "));
  }

  private static boolean isLease(Request request) {
    return request.resource().equals(LEASES);
  }
}
