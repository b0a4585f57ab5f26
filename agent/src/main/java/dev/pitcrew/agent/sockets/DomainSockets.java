package dev.pitcrew.agent.sockets;

import io.grpc.BindableService;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/// gRPC over unix sockets, and over loopback where a protocol asks for a port, with the JDK's own
/// channels: one event loop for all of them, calls on virtual threads.
public final class DomainSockets implements AutoCloseable {
  /// Some servers refuse a socket path as authority, which is what gRPC would send.
  private static final String AUTHORITY = "localhost";

  private static final int EVENT_LOOPS = 1;

  /// Complains about every connection that a unix socket has no SO_KEEPALIVE, which cannot be
  /// changed. Kept in a field: a logger without references loses its level.
  private static final Logger NETTY = Logger.getLogger("io.netty.bootstrap");

  static {
    NETTY.setLevel(Level.SEVERE);
  }

  private final EventLoopGroup events =
      new MultiThreadIoEventLoopGroup(EVENT_LOOPS, NioIoHandler.newFactory());
  private final ExecutorService calls = Executors.newVirtualThreadPerTaskExecutor();

  /// A server that is not started yet.
  public Server server(Path socket, BindableService... services) {
    var server =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(events)
            .workerEventLoopGroup(events)
            .executor(calls);
    Stream.of(services).forEach(server::addService);
    return server.build();
  }

  /// A server that is not started yet, for processes that share the network of this one.
  ///
  /// @param port 0 for a free one
  public Server loopbackServer(int port, BindableService service) {
    return NettyServerBuilder.forAddress(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
        .channelType(NioServerSocketChannel.class)
        .bossEventLoopGroup(events)
        .workerEventLoopGroup(events)
        .executor(calls)
        .addService(service)
        .build();
  }

  public ManagedChannel channel(Path socket) {
    return NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
        .channelType(NioDomainSocketChannel.class)
        .eventLoopGroup(events)
        .executor(calls)
        .usePlaintext()
        .overrideAuthority(AUTHORITY)
        .build();
  }

  @Override
  public void close() {
    events.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    calls.shutdownNow();
  }
}
