package dev.pitcrew.agent.pods;

import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.kubelet.podresources.ListPodResourcesRequest;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.kubelet.podresources.PodResourcesListerGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Asks the kubelet, over its pod-resources socket, which pods there are and what they hold.
public final class KubeletPods implements AutoCloseable {
  /// Where the socket is on the host, unless a kubelet has its folder elsewhere.
  public static final String SOCKET = "/var/lib/kubelet/pod-resources/kubelet.sock";

  private static final int DEADLINE_SECONDS = 2;

  private final DomainSockets sockets = new DomainSockets();
  private final Path socket;
  private final ManagedChannel channel;

  /// What the kubelet answered.
  public sealed interface Response {
    record Pods(List<PodResources> pods) implements Response {}

    /// There is no kubelet.
    record NoSocket(String why) implements Response {}

    /// It does not answer.
    record NoAnswer(String why) implements Response {}
  }

  /// Connects to nothing yet.
  public KubeletPods(Path socket) {
    this.socket = socket;
    this.channel = sockets.channel(socket);
  }

  public Response ask() {
    if (!Files.exists(socket)) {
      return new Response.NoSocket(socket + " is not there");
    }
    try {
      return new Response.Pods(
          PodResourcesListerGrpc.newBlockingStub(channel)
              .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
              .list(ListPodResourcesRequest.getDefaultInstance())
              .getPodResourcesList());
    } catch (StatusRuntimeException e) {
      return new Response.NoAnswer("%s: %s".formatted(socket, e.getStatus()));
    }
  }

  @Override
  public void close() {
    channel.shutdownNow();
    sockets.close();
  }
}
