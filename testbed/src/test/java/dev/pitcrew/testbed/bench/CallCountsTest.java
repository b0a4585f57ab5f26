package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallCountsTest {
  @ParameterizedTest
  @CsvSource({
    "patch, nodes, 1, 0",
    "create, events.k8s.io/events, 1, 0",
    "deletecollection, pods, 1, 0",
    "get, nodes, 0, 1",
    "list, nodes, 0, 1",
    "watch, nodes, 0, 0",
    "update, coordination.k8s.io/leases, 0, 0",
    "get, coordination.k8s.io/leases, 0, 0"
  })
  void theLeaseAndWatchesAreNeitherWritesNorReads(
      String verb, String resource, long mutating, long reading) {
    var calls = List.of(call(verb, resource));
    assertThat(CallCounts.mutating(calls)).isEqualTo(mutating);
    assertThat(CallCounts.reading(calls)).isEqualTo(reading);
  }

  @Test
  void theMostFrequentCallComesFirst() {
    var calls = List.of(call("get", "nodes"), call("patch", "nodes"), call("patch", "nodes"));
    assertThat(CallCounts.of(calls).text()).isEqualTo("2 patch nodes, 1 get nodes");
  }

  private static Request call(String verb, String resource) {
    return new Request(Instant.EPOCH, Instant.EPOCH, "u", "a", verb, resource, "", "x", 200);
  }
}
