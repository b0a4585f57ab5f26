package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.MetricsSettings.PodMapping;
import dev.pitcrew.agent.plugin.DomainSockets;
import dev.pitcrew.kubelet.podresources.ListPodResourcesRequest;
import dev.pitcrew.kubelet.podresources.PodResourcesListerGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Asks the kubelet which pod has which device.
final class PodSource implements AutoCloseable {
  private static final int DEADLINE_SECONDS = 2;

  private final DomainSockets sockets = new DomainSockets();
  private final Path socket;
  private final PodMapping mapping;
  private final ManagedChannel channel;

  /// What came of asking.
  ///
  /// @param trouble why the kubelet did not answer
  record Heard(Holders holders, Optional<String> trouble) {}

  PodSource(Path socket, PodMapping mapping) {
    this.socket = socket;
    this.mapping = mapping;
    this.channel = sockets.channel(socket);
  }

  /// @param before what holds on where the kubelet does not answer
  Heard read(Holders before) {
    if (!Files.exists(socket)) {
      return new Heard(Holders.none(mapping), Optional.of(socket + " is not there"));
    }
    try {
      var answer =
          PodResourcesListerGrpc.newBlockingStub(channel)
              .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
              .list(ListPodResourcesRequest.getDefaultInstance());
      return new Heard(Holders.of(answer.getPodResourcesList(), mapping), Optional.empty());
    } catch (StatusRuntimeException e) {
      return new Heard(before, Optional.of("%s: %s".formatted(socket, e.getStatus())));
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    sockets.close();
  }
}
