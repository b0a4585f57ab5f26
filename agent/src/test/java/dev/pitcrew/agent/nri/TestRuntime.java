package dev.pitcrew.agent.nri;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.pitcrew.agent.nri.Multiplexer.Line;
import dev.pitcrew.agent.nri.Multiplexer.Received;
import dev.pitcrew.nri.api.ConfigureRequest;
import dev.pitcrew.nri.api.ConfigureResponse;
import dev.pitcrew.nri.api.RegisterPluginRequest;
import dev.pitcrew.nri.api.SynchronizeRequest;
import dev.pitcrew.nri.ttrpc.Request;
import dev.pitcrew.nri.ttrpc.Response;
import dev.pitcrew.nri.ttrpc.Status;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/// The runtime's end of the socket, which says what a test has it say, a step at a time.
final class TestRuntime implements AutoCloseable {
  private static final String NEWEST = "v2.4.1";

  private final Path path;
  private final ServerSocketChannel server;

  private TestRuntime(Path path, ServerSocketChannel server) {
    this.path = path;
    this.server = server;
  }

  static TestRuntime at(Path path) throws IOException {
    Files.deleteIfExists(path);
    var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
    return new TestRuntime(path, server);
  }

  SocketChannel accept() throws IOException {
    return server.accept();
  }

  /// A plugin that was accepted and subscribes to events of containers.
  Conversation admit() throws IOException {
    return admit(NEWEST);
  }

  /// @param version of a containerd
  Conversation admit(String version) throws IOException {
    var conversation = new Conversation(new Multiplexer(accept()));
    conversation.register();
    conversation.configure(version);
    conversation.call("Synchronize", SynchronizeRequest.newBuilder().setMore(true).build());
    conversation.call("Synchronize", SynchronizeRequest.getDefaultInstance());
    return conversation;
  }

  /// As a runtime that ends: its socket stays behind or goes.
  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(path);
  }

  /// With one plugin.
  static final class Conversation implements AutoCloseable {
    private final Multiplexer trunk;
    private int stream = 1;

    Conversation(Multiplexer trunk) {
      this.trunk = trunk;
    }

    RegisterPluginRequest register() throws IOException {
      Request request = refuse(Status.getDefaultInstance());
      return RegisterPluginRequest.parseFrom(request.getPayload());
    }

    /// Answers the registration with a status.
    Request refuse(Status status) throws IOException {
      Frame frame = next(Line.RUNTIME);
      var answer = Response.newBuilder().setStatus(status).build();
      trunk.send(Line.RUNTIME, Frame.response(frame.stream(), answer.toByteString()));
      return Request.parseFrom(frame.data());
    }

    int configure() throws IOException {
      return configure(NEWEST);
    }

    private int configure(String version) throws IOException {
      var request =
          ConfigureRequest.newBuilder()
              .setRuntimeName("containerd")
              .setRuntimeVersion(version)
              .build();
      return ConfigureResponse.parseFrom(call("Configure", request).getPayload()).getEvents();
    }

    Response call(String method, MessageLite message) throws IOException {
      return call("nri.pkg.api.v1alpha1.Plugin", method, message.toByteString());
    }

    Response call(String service, String method, ByteString payload) throws IOException {
      var request =
          Request.newBuilder().setService(service).setMethod(method).setPayload(payload).build();
      trunk.send(Line.PLUGIN, Frame.request(stream, request.toByteString()));
      Frame answer = next(Line.PLUGIN);
      if (answer.stream() != stream || answer.type() != Frame.RESPONSE) {
        throw new IOException("not the answer to stream " + stream + ": " + answer);
      }
      stream += 2;
      return Response.parseFrom(answer.data());
    }

    private Frame next(Line line) throws IOException {
      Received received =
          trunk.receive().orElseThrow(() -> new IOException("the plugin closed the connection"));
      if (received.line() != line) {
        throw new IOException("on the wrong line: " + received);
      }
      return received.frame();
    }

    @Override
    public void close() throws IOException {
      trunk.close();
    }
  }
}
