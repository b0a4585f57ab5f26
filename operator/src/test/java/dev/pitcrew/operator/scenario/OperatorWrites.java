package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.controlplane.AuditLog;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.scenario.facts.RecordedKind;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What the operator has written, as the API server's audit log has it.
record OperatorWrites(AuditLog log) {
  static final String USER = "system:serviceaccount:gpu-operator:gpu-operator";
  private static final int LAST_SUCCESS = 299;
  private static final Map<String, String> OTHER_KINDS =
      Map.of(
          "events", "Event",
          "fleetpolicies", "FleetPolicy",
          "namespaces", "Namespace",
          "pods", "Pod",
          "leases", "Lease",
          "securitycontextconstraints", "SecurityContextConstraints");

  /// How many writes of each sort, spelled `verb:Kind`, the API server has accepted since.
  Map<String, Integer> since(Instant begin) {
    var requests = log.requestsOf(USER);
    if (requests.isEmpty()) { // a test that expects no writes would see none
      throw new IllegalStateException("the audit log has no request of " + USER);
    }
    var counts = new TreeMap<String, Integer>();
    requests.stream()
        .filter(request -> !request.received().isBefore(begin))
        .filter(request -> request.isMutating() && request.status() <= LAST_SUCCESS)
        .forEach(request -> counts.merge(sort(request), 1, Integer::sum));
    return counts;
  }

  private static String sort(Request request) {
    return verb(request) + ":" + kind(request);
  }

  /// Nodes and namespaces are others' and only patched; everything else is applied.
  private static String verb(Request request) {
    if (request.resource().endsWith("/status")) {
      return "status";
    }
    var isOthers = request.resource().equals("nodes") || request.resource().equals("namespaces");
    return request.verb().equals("patch") && !isOthers ? "apply" : request.verb();
  }

  private static String kind(Request request) {
    var parts = Stream.of(request.resource().split("/", -1)).toList();
    return parts.stream().flatMap(part -> kindOf(part).stream()).findFirst().orElseThrow();
  }

  private static Optional<String> kindOf(String plural) {
    return Stream.of(RecordedKind.values())
        .filter(kind -> kind.plural().equals(plural))
        .map(RecordedKind::kind)
        .findFirst()
        .or(() -> Optional.ofNullable(OTHER_KINDS.get(plural)));
  }
}
