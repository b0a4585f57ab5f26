package dev.pitcrew.agent.runtime;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// Answers the kubelet's question as containerd does: `info` has the configuration of the CRI
/// plugin as JSON under `config` (containerd v1.7, pkg/cri/server/status.go and
/// pkg/cri/config/config.go).
public final class TestCri implements AutoCloseable {
  private static final int INFO = 2;

  private final EventLoopGroup events =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Server server;

  private TestCri(Path socket, byte[] answer) throws IOException {
    var status =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("runtime.v1.RuntimeService/Status")
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();
    Files.createDirectories(socket.getParent());
    server =
        NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(socket))
            .channelType(NioServerDomainSocketChannel.class)
            .bossEventLoopGroup(events)
            .workerEventLoopGroup(events)
            .addService(
                ServerServiceDefinition.builder("runtime.v1.RuntimeService")
                    .addMethod(status, ServerCalls.asyncUnaryCall((_, to) -> answer(answer, to)))
                    .build())
            .build()
            .start();
  }

  public static TestCri start(Path socket, boolean enableCdi) throws IOException {
    String config =
        "{\"containerd\":{\"runtimes\":{\"runc\":{}}},\"enableCDI\":%s}".formatted(enableCdi);
    UnknownFieldSet entry =
        UnknownFieldSet.newBuilder().addField(1, text("config")).addField(2, text(config)).build();
    UnknownFieldSet answer =
        UnknownFieldSet.newBuilder()
            .addField(
                INFO,
                UnknownFieldSet.Field.newBuilder().addLengthDelimited(entry.toByteString()).build())
            .build();
    return new TestCri(socket, answer.toByteArray());
  }

  private static UnknownFieldSet.Field text(String text) {
    return UnknownFieldSet.Field.newBuilder()
        .addLengthDelimited(ByteString.copyFromUtf8(text))
        .build();
  }

  private static void answer(byte[] answer, StreamObserver<byte[]> to) {
    to.onNext(answer);
    to.onCompleted();
  }

  @Override
  public void close() {
    server.shutdownNow();
    events.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
