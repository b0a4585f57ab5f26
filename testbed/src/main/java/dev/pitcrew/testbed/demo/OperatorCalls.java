package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.util.Collection;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What the operator asked of the API server, by the API server's own account.
record OperatorCalls(Collection<Request> requests) {
  private static final int FORBIDDEN = 403;

  static OperatorCalls of(AuditLog log, String user) {
    return new OperatorCalls(log.requestsOf(user));
  }

  /// Such as `58 writes (create 4, patch 54), 40 reads (list 20, watch 20), 0 forbidden`.
  String summary() {
    return "%s, %s, %d forbidden"
        .formatted(
            summary("write", Request::isMutating),
            summary("read", request -> !request.isMutating()),
            forbiddenRequests().count());
  }

  /// What the chart's roles did not allow, such as `list nodes`; empty where nothing was.
  String forbidden() {
    return forbiddenRequests()
        .map(request -> request.verb() + " " + request.resource())
        .distinct()
        .collect(Collectors.joining(", "));
  }

  private Stream<Request> forbiddenRequests() {
    return requests.stream().filter(request -> request.status() == FORBIDDEN);
  }

  private String summary(String noun, Predicate<Request> isMeant) {
    var byVerb =
        requests.stream()
            .filter(isMeant)
            .collect(Collectors.groupingBy(Request::verb, TreeMap::new, Collectors.counting()));
    var count = byVerb.values().stream().mapToLong(Long::longValue).sum();
    var verbs =
        byVerb.entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", "));
    return Words.counted(count, noun) + (verbs.isEmpty() ? "" : " (" + verbs + ")");
  }
}
