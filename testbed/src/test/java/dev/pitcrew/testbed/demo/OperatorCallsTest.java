package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperatorCallsTest {
  @Test
  void callsAreCountedByVerb() {
    var calls =
        new OperatorCalls(
            List.of(
                request("patch", "nodes", 200),
                request("patch", "apps/daemonsets", 201),
                request("list", "nodes", 200)));

    assertThat(calls.summary()).isEqualTo("2 writes (patch 2), 1 read (list 1), 0 forbidden");
    assertThat(calls.forbidden()).isEmpty();
  }

  @Test
  void forbiddenCall_isNamedOnce() {
    var denied = request("delete", "nodes", 403);
    var calls = new OperatorCalls(List.of(denied, denied, request("get", "secrets", 404)));

    assertThat(calls.forbidden()).isEqualTo("delete nodes");
    assertThat(calls.summary()).endsWith("2 forbidden");
  }

  private static Request request(String verb, String resource, int status) {
    return new Request(
        Instant.EPOCH, Instant.EPOCH, "operator", "agent", verb, resource, "", "", status);
  }
}
