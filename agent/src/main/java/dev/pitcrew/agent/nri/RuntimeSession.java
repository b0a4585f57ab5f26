package dev.pitcrew.agent.nri;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pitcrew.agent.nri.Multiplexer.Line;
import dev.pitcrew.agent.nri.Multiplexer.Received;
import dev.pitcrew.nri.api.ConfigureRequest;
import dev.pitcrew.nri.api.RegisterPluginRequest;
import dev.pitcrew.nri.ttrpc.Request;
import dev.pitcrew.nri.ttrpc.Response;
import java.io.IOException;
import java.util.function.Consumer;

/// One connection to the runtime from registration to its end. The runtime asks one thing at a time
/// and every answer takes microseconds, so that one thread does it all.
final class RuntimeSession {
  private static final String SERVICE = "nri.pkg.api.v1alpha1.Runtime";
  private static final int FIRST_STREAM = 1;

  /// Who the plugin is for the runtime.
  ///
  /// @param index two digits; plugins are asked in its order
  record Identity(String name, String index) {}

  private final Multiplexer trunk;
  private final PluginService service;
  private final Consumer<NriState> onServed;
  private ConfigureRequest runtime = ConfigureRequest.getDefaultInstance();

  /// @param onServed takes the state, once the runtime asks about containers
  RuntimeSession(Multiplexer trunk, ContainerHook hook, Consumer<NriState> onServed) {
    this.trunk = trunk;
    this.service = new PluginService(hook, this::configured, this::synchronizedWith);
    this.onServed = onServed;
  }

  /// Returns when the runtime has closed the connection.
  void serve(Identity identity) throws IOException {
    trunk.send(Line.RUNTIME, Frame.request(FIRST_STREAM, registration(identity)));
    for (var next = trunk.receive(); next.isPresent(); next = trunk.receive()) {
      take(next.get());
    }
  }

  private void take(Received received) throws IOException {
    switch (received.line()) {
      case RUNTIME -> registered(received.frame());
      case PLUGIN -> answer(received.frame());
    }
  }

  private static ByteString registration(Identity identity) {
    var plugin =
        RegisterPluginRequest.newBuilder()
            .setPluginName(identity.name())
            .setPluginIdx(identity.index())
            .build();
    return Request.newBuilder()
        .setService(SERVICE)
        .setMethod("RegisterPlugin")
        .setPayload(plugin.toByteString())
        .build()
        .toByteString();
  }

  private static void registered(Frame frame) throws IOException {
    if (frame.type() != Frame.RESPONSE) {
      throw new NriProtocolException("a frame of type %d as an answer".formatted(frame.type()));
    }
    Response response = response(frame);
    if (response.getStatus().getCode() != 0) {
      throw new NriProtocolException("registration refused: " + response.getStatus().getMessage());
    }
  }

  private static Response response(Frame frame) throws NriProtocolException {
    try {
      return Response.parseFrom(frame.data());
    } catch (InvalidProtocolBufferException e) {
      throw new NriProtocolException("an answer that is no message: " + e.getMessage());
    }
  }

  private void answer(Frame frame) throws IOException {
    Response response = frame.isCall() ? service.answer(frame.data()) : PluginService.noStreams();
    trunk.send(Line.PLUGIN, Frame.response(frame.stream(), response.toByteString()));
  }

  private void configured(ConfigureRequest request) {
    runtime = request;
  }

  private void synchronizedWith() {
    onServed.accept(NriState.asking(runtime.getRuntimeName(), runtime.getRuntimeVersion()));
  }
}
