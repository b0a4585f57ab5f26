package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.util.List;

/// What came of a phase, and what the operator asked of the API server from its beginning until it
/// was at rest again.
record Called<T>(T result, List<Request> calls) {
  Called {
    calls = List.copyOf(calls);
  }
}
