package dev.pitcrew.testbed.bench;

import dev.pitcrew.kubelet.dra.Claim;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc;
import dev.pitcrew.kubelet.dra.DRAPluginGrpc.DRAPluginBlockingStub;
import dev.pitcrew.kubelet.dra.NodePrepareResourcesRequest;
import dev.pitcrew.kubelet.dra.NodeUnprepareResourcesRequest;
import dev.pitcrew.testbed.TestbedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Function;

/// Has claims prepared and unprepared, as the kubelet does, one claim a call, by several callers at
/// once over one connection. The claims are allocated.
///
/// @param prepare one call of each claim of each round
/// @param unprepare likewise
record ClaimCalls(Latencies prepare, Latencies unprepare) {
  /// The driver's socket on its node.
  static final Path SOCKET = Path.of("/var/lib/kubelet/plugins/gpu.nvidia.com/dra.sock");

  /// What all callers share.
  private record Caller(
      DRAPluginBlockingStub plugin, Collection<Duration> prepared, Collection<Duration> ended) {
    void round(List<Claim> claims) {
      claims.forEach(claim -> prepared.add(time(claim, this::prepare)));
      claims.forEach(claim -> ended.add(time(claim, this::unprepare)));
    }

    private static Duration time(Claim claim, Function<Claim, String> call) {
      var begin = System.nanoTime();
      var error = call.apply(claim);
      var took = Duration.ofNanos(System.nanoTime() - begin);
      if (!error.isEmpty()) {
        throw new TestbedException("claim " + claim.getName() + ": " + error);
      }
      return took;
    }

    private String prepare(Claim claim) {
      var request = NodePrepareResourcesRequest.newBuilder().addClaims(claim).build();
      return plugin.nodePrepareResources(request).getClaimsOrThrow(claim.getUid()).getError();
    }

    private String unprepare(Claim claim) {
      var request = NodeUnprepareResourcesRequest.newBuilder().addClaims(claim).build();
      return plugin.nodeUnprepareResources(request).getClaimsOrThrow(claim.getUid()).getError();
    }
  }

  /// @param socket as this machine sees it
  /// @param claims those of each caller, who has all of them prepared and then all unprepared
  /// @param rounds how often
  static ClaimCalls of(Path socket, List<List<Claim>> claims, int rounds) {
    var prepared = Collections.synchronizedList(new ArrayList<Duration>());
    var ended = Collections.synchronizedList(new ArrayList<Duration>());
    try (var connection = PluginChannel.to(socket);
        var threads = Executors.newFixedThreadPool(claims.size())) {
      var plugin = DRAPluginGrpc.newBlockingStub(connection.channel());
      var caller = new Caller(plugin, prepared, ended);
      var work =
          claims.stream()
              .<Callable<Boolean>>map(own ->
                  () -> {
                    for (int round = 0; round < rounds; round++) {
                      caller.round(own);
                    }
                    return true;
                  })
              .toList();
      for (var result : threads.invokeAll(work)) {
        result.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new TestbedException("interrupted while claims were prepared", e);
    } catch (ExecutionException e) {
      throw new TestbedException("claims are not prepared: " + e.getCause(), e);
    }
    return new ClaimCalls(new Latencies(prepared), new Latencies(ended));
  }
}
