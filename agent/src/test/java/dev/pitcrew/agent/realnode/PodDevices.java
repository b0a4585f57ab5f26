package dev.pitcrew.agent.realnode;

import dev.pitcrew.kubelet.podresources.AllocatableResourcesRequest;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.ListPodResourcesRequest;
import dev.pitcrew.kubelet.podresources.PodResources;
import dev.pitcrew.kubelet.podresources.PodResourcesListerGrpc;
import dev.pitcrew.kubelet.podresources.PodResourcesListerGrpc.PodResourcesListerBlockingStub;
import dev.pitcrew.testbed.node.RealNode;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a node's kubelet says of devices on its pod-resources socket.
final class PodDevices implements AutoCloseable {
  private static final String SOCKET = "/var/lib/kubelet/pod-resources/kubelet.sock";
  private static final int DEADLINE_SECONDS = 10;

  // It complains that a unix socket has no SO_KEEPALIVE, which cannot be changed.
  private static final Logger NETTY = Logger.getLogger("io.netty.bootstrap");

  static {
    NETTY.setLevel(Level.SEVERE);
  }

  private final EventLoopGroup events =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ManagedChannel channel;
  private final Path socket;

  PodDevices(RealNode node) {
    socket = node.path(SOCKET);
    channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(events)
            .usePlaintext()
            .overrideAuthority("localhost")
            .build();
  }

  boolean isOf(RealNode node) {
    return node.path(SOCKET).equals(socket);
  }

  /// The devices of each pod that has any, by its name.
  Map<String, Set<String>> ofPods() {
    return stub().list(ListPodResourcesRequest.getDefaultInstance()).getPodResourcesList().stream()
        .filter(pod -> !devices(pod).isEmpty())
        .collect(Collectors.toMap(PodResources::getName, PodDevices::devices));
  }

  /// How many devices of a resource are well.
  long healthy(String resource) {
    return ids(stub()
            .getAllocatableResources(AllocatableResourcesRequest.getDefaultInstance())
            .getDevicesList()
            .stream()
            .filter(devices -> devices.getResourceName().equals(resource)))
        .size();
  }

  private static Set<String> devices(PodResources pod) {
    return ids(
        pod.getContainersList().stream().flatMap(container -> container.getDevicesList().stream()));
  }

  private static Set<String> ids(Stream<ContainerDevices> devices) {
    return devices
        .map(ContainerDevices::getDeviceIdsList)
        .flatMap(Collection::stream)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private PodResourcesListerBlockingStub stub() {
    return PodResourcesListerGrpc.newBlockingStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    events.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
