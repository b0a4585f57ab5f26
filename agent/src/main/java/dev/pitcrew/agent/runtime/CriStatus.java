package dev.pitcrew.agent.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.pitcrew.agent.plugin.DomainSockets;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// What a runtime answers to the kubelet's own question (`runtime.v1.RuntimeService/Status`, with
/// details): the handlers that it knows. Of the messages only these fields are read, by number.
final class CriStatus implements AutoCloseable {
  private static final byte[] WITH_DETAILS = {0x08, 0x01};
  private static final int INFO = 2;
  private static final int RUNTIME_HANDLERS = 3;
  private static final int KEY = 1;
  private static final int VALUE = 2;
  private static final int NAME = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final MethodDescriptor<byte[], byte[]> STATUS =
      MethodDescriptor.<byte[], byte[]>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("runtime.v1.RuntimeService/Status")
          .setRequestMarshaller(new Bytes())
          .setResponseMarshaller(new Bytes())
          .build();

  private final DomainSockets sockets = new DomainSockets();
  private final ManagedChannel channel;

  private CriStatus(Path socket) {
    channel = sockets.channel(socket);
  }

  /// @return the handlers; none where it does not tell them
  /// @throws StatusRuntimeException if it does not answer
  static Set<String> handlers(Path socket, Duration limit) {
    try (var status = new CriStatus(socket)) {
      byte[] answer =
          ClientCalls.blockingUnaryCall(
              status.channel,
              STATUS,
              CallOptions.DEFAULT.withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS),
              WITH_DETAILS);
      return handlers(answer);
    }
  }

  /// Since Kubernetes 1.30 there is a list; before, containerd has them among its details.
  static Set<String> handlers(byte[] answer) {
    var names = new HashSet<String>();
    try {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(answer);
      for (var handler : fields.getField(RUNTIME_HANDLERS).getLengthDelimitedList()) {
        names.add(text(UnknownFieldSet.parseFrom(handler), NAME));
      }
      for (var entry : fields.getField(INFO).getLengthDelimitedList()) {
        UnknownFieldSet pair = UnknownFieldSet.parseFrom(entry);
        if (text(pair, KEY).equals("config")) {
          ofDetails(text(pair, VALUE), names::add);
        }
      }
    } catch (InvalidProtocolBufferException e) {
      throw new UncheckedIOException("read the runtime's answer", e);
    }
    names.remove("");
    return Set.copyOf(names);
  }

  private static void ofDetails(String json, Consumer<String> into) {
    try {
      MAPPER.readTree(json).at("/containerd/runtimes").fieldNames().forEachRemaining(into);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("read the runtime's details", e);
    }
  }

  private static String text(UnknownFieldSet fields, int number) {
    return fields.getField(number).getLengthDelimitedList().stream()
        .map(bytes -> bytes.toStringUtf8())
        .findFirst()
        .orElse("");
  }

  @Override
  public void close() {
    channel.shutdownNow();
    sockets.close();
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
        throw new UncheckedIOException("read an answer", e);
      }
    }
  }
}
