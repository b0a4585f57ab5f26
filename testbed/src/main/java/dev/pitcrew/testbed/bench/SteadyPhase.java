package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

/// Time in which the operator has nothing to do, though the cluster is alive: nodes renew their
/// leases and report their status, every minute labels of another writer flip on several nodes, and
/// once, in the middle, all the operator's connections are cut.
record SteadyPhase(BenchCluster cluster, OperatorCalls calls, int gpuNodes) {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int FLIPPING_NODES = 5;
  private static final PatchContext MERGE =
      new PatchContext.Builder().withPatchType(PatchType.JSON_MERGE).build();

  /// Lasts `duration`, of which whole minutes count.
  ///
  /// @return what the operator asked of the API server
  List<Request> run(Duration duration) {
    var begin = Instant.now();
    var minutes = Math.max(1, duration.toMinutes());
    for (var minute = 0; minute < minutes; minute++) {
      flip(minute);
      Await.pause(MINUTE.dividedBy(2));
      if (minute == minutes / 2) {
        cut();
      }
      Await.pause(MINUTE.dividedBy(2));
    }
    return calls.since(begin);
  }

  /// Without a cut a quiet operator would prove nothing.
  private void cut() {
    if (cluster.relay().cut() == 0) {
      throw new TestbedException("the operator had no connection that could be cut");
    }
  }

  private void flip(int minute) {
    var patch =
        "{\"metadata\":{\"labels\":{\"bench.pitcrew.dev/steady\":\"%d\"}}}".formatted(minute);
    IntStream.rangeClosed(1, Math.min(FLIPPING_NODES, gpuNodes))
        .mapToObj(number -> BenchCluster.GPU.node(number).getMetadata().getName())
        .forEach(name -> cluster.client().nodes().withName(name).patch(MERGE, patch));
  }
}
