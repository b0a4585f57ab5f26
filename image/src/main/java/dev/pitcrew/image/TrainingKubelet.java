package dev.pitcrew.image;

import dev.pitcrew.kubelet.deviceplugin.AllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc;
import dev.pitcrew.kubelet.deviceplugin.Empty;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import dev.pitcrew.kubelet.deviceplugin.RegistrationGrpc.RegistrationImplBase;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/// A kubelet's part in a training: takes a registration, reads the list and allocates a device.
final class TrainingKubelet implements AutoCloseable {
  /// Warns that a unix socket has no SO_KEEPALIVE. Kept, as a logger without a strong reference
  /// loses its level.
  private static final Logger NETTY = Logger.getLogger("io.netty.bootstrap");

  static {
    NETTY.setLevel(Level.SEVERE);
  }

  private final Path folder;
  private final EventLoopGroup events =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final AtomicBoolean allocated = new AtomicBoolean();
  private final Server server;

  private TrainingKubelet(Path folder) throws IOException {
    this.folder = folder;
    server =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(folder.resolve("kubelet.sock")))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(events)
            .workerEventLoopGroup(events)
            .addService(new Registrations())
            .build()
            .start();
  }

  static TrainingKubelet start(Path folder) {
    try {
      return new TrainingKubelet(folder);
    } catch (IOException e) {
      throw new UncheckedIOException("listen in " + folder, e);
    }
  }

  boolean hasAllocated() {
    return allocated.get();
  }

  @Override
  public void close() {
    server.shutdownNow();
    events.shutdownGracefully().awaitUninterruptibly();
  }

  private void allocate(String endpoint) {
    var channel =
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(folder.resolve(endpoint)))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(events)
            .usePlaintext()
            .overrideAuthority("localhost")
            .build();
    try {
      var plugin = DevicePluginGrpc.newBlockingStub(channel);
      var list = plugin.listAndWatch(Empty.getDefaultInstance()).next();
      var device = ContainerAllocateRequest.newBuilder().addDevicesIds(list.getDevices(0).getID());
      var answer =
          plugin.allocate(AllocateRequest.newBuilder().addContainerRequests(device).build());
      allocated.set(answer.getContainerResponsesCount() == 1);
    } finally {
      channel.shutdownNow();
    }
  }

  private final class Registrations extends RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
      Thread.ofVirtual().start(() -> allocate(request.getEndpoint()));
    }
  }
}
