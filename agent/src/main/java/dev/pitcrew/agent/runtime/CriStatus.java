package dev.pitcrew.agent.runtime;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.pitcrew.agent.sockets.DomainSockets;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.stub.ClientCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/// What a runtime answers to the kubelet's own question (`runtime.v1.RuntimeService/Status`, with
/// details). Of the messages only the fields below are read, by number.
///
/// @param handlers that it knows; none where it does not report them
/// @param takesCdi whether it gives containers devices by their CDI names, which containerd alone
///   reports (`enableCDI` among its details, containerd pkg/cri/config)
record CriStatus(Set<String> handlers, Optional<Boolean> takesCdi) {
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

  CriStatus {
    handlers = Set.copyOf(handlers);
  }

  /// @throws StatusRuntimeException if it does not answer
  static CriStatus of(Path socket, Duration limit) {
    var sockets = new DomainSockets();
    ManagedChannel channel = sockets.channel(socket);
    try {
      return of(
          ClientCalls.blockingUnaryCall(
              channel,
              STATUS,
              CallOptions.DEFAULT.withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS),
              WITH_DETAILS));
    } finally {
      channel.shutdownNow();
      sockets.close();
    }
  }

  /// Since Kubernetes 1.30 there is a list of handlers; before, containerd has them among its
  /// details.
  private static CriStatus of(byte[] answer) {
    var names = new HashSet<String>();
    Optional<Boolean> takesCdi = Optional.empty();
    try {
      UnknownFieldSet fields = UnknownFieldSet.parseFrom(answer);
      for (var handler : fields.getField(RUNTIME_HANDLERS).getLengthDelimitedList()) {
        names.add(text(UnknownFieldSet.parseFrom(handler), NAME));
      }
      for (var entry : fields.getField(INFO).getLengthDelimitedList()) {
        UnknownFieldSet pair = UnknownFieldSet.parseFrom(entry);
        if (text(pair, KEY).equals("config")) {
          JsonNode details = MAPPER.readTree(text(pair, VALUE));
          details.at("/containerd/runtimes").fieldNames().forEachRemaining(names::add);
          takesCdi =
              Optional.of(details.path("enableCDI"))
                  .filter(JsonNode::isBoolean)
                  .map(JsonNode::asBoolean);
        }
      }
    } catch (InvalidProtocolBufferException | JsonProcessingException e) {
      throw new UncheckedIOException("read the runtime's answer", e);
    }
    names.remove("");
    return new CriStatus(names, takesCdi);
  }

  private static String text(UnknownFieldSet fields, int number) {
    return fields.getField(number).getLengthDelimitedList().stream()
        .map(bytes -> bytes.toStringUtf8())
        .findFirst()
        .orElse("");
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
