package dev.pitcrew.testbed.bench;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// A connection to a plugin's socket, as the kubelet has one.
record PluginChannel(ManagedChannel channel, EventLoopGroup events) implements AutoCloseable {
  static PluginChannel to(Path socket) {
    var events = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    return new PluginChannel(
        NettyChannelBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioDomainSocketChannel.class)
            .eventLoopGroup(events)
            .usePlaintext()
            .overrideAuthority("localhost")
            .build(),
        events);
  }

  @Override
  public void close() {
    channel.shutdownNow();
    events.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
