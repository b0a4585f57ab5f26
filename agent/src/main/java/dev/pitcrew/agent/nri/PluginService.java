package dev.pitcrew.agent.nri;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.nri.plan.ContainerFacts;
import dev.pitcrew.nri.api.CDIDevice;
import dev.pitcrew.nri.api.ConfigureRequest;
import dev.pitcrew.nri.api.ConfigureResponse;
import dev.pitcrew.nri.api.ContainerAdjustment;
import dev.pitcrew.nri.api.CreateContainerRequest;
import dev.pitcrew.nri.api.CreateContainerResponse;
import dev.pitcrew.nri.api.Event;
import dev.pitcrew.nri.api.Mount;
import dev.pitcrew.nri.api.SynchronizeRequest;
import dev.pitcrew.nri.api.SynchronizeResponse;
import dev.pitcrew.nri.ttrpc.Request;
import dev.pitcrew.nri.ttrpc.Response;
import dev.pitcrew.nri.ttrpc.Status;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What a plugin answers to its runtime. It wants to be asked about containers that are created,
/// and nothing else.
final class PluginService {
  private static final Logger LOG = LoggerFactory.getLogger(PluginService.class);
  private static final String SERVICE = "nri.pkg.api.v1alpha1.Plugin";
  private static final ByteString EMPTY = ByteString.EMPTY;
  private static final int EVENTS = 1 << (Event.CREATE_CONTAINER_VALUE - 1);

  // As google.rpc.Code has them.
  private static final int INVALID_ARGUMENT = 3;
  private static final int FAILED_PRECONDITION = 9;
  private static final int UNIMPLEMENTED = 12;

  private final ContainerHook hook;
  private final Consumer<ConfigureRequest> onConfigured;
  private final Runnable onSynchronized;

  PluginService(
      ContainerHook hook, Consumer<ConfigureRequest> onConfigured, Runnable onSynchronized) {
    this.hook = hook;
    this.onConfigured = onConfigured;
    this.onSynchronized = onSynchronized;
  }

  static Response noStreams() {
    return failed(UNIMPLEMENTED, "a plugin has no streams");
  }

  Response answer(ByteString request) {
    try {
      return answer(Request.parseFrom(request));
    } catch (InvalidProtocolBufferException e) {
      return failed(INVALID_ARGUMENT, "the request is no message: " + e.getMessage());
    }
  }

  private Response answer(Request request) throws InvalidProtocolBufferException {
    ByteString payload = request.getPayload();
    if (!request.getService().equals(SERVICE)) {
      return failed(UNIMPLEMENTED, "no service " + request.getService());
    }
    return switch (request.getMethod()) {
      case "Configure" -> configure(ConfigureRequest.parseFrom(payload));
      case "Synchronize" -> synchronize(SynchronizeRequest.parseFrom(payload));
      case "CreateContainer" -> create(CreateContainerRequest.parseFrom(payload));
      case "StateChange", "Shutdown" -> done(EMPTY);
      default -> failed(UNIMPLEMENTED, "no method " + request.getMethod());
    };
  }

  private Response configure(ConfigureRequest request) {
    onConfigured.accept(request);
    return done(ConfigureResponse.newBuilder().setEvents(EVENTS).build().toByteString());
  }

  /// A node with many containers lists them in several messages.
  private Response synchronize(SynchronizeRequest request) {
    if (!request.getMore()) {
      onSynchronized.run();
    }
    return done(SynchronizeResponse.newBuilder().setMore(request.getMore()).build().toByteString());
  }

  private Response create(CreateContainerRequest request) {
    return switch (choice(request)) {
      case DeviceChoice.Inject inject -> done(adjustment(inject));
      case DeviceChoice.Skip _ -> done(EMPTY);
      case DeviceChoice.Refuse(var why) -> failed(FAILED_PRECONDITION, why);
    };
  }

  /// A fault of ours must keep no container of the node from starting.
  private DeviceChoice choice(CreateContainerRequest request) {
    try {
      return hook.creating(ContainerFacts.of(request));
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a container is left as it is, since its devices are unclear");
      return DeviceChoice.NOTHING;
    }
  }

  private static ByteString adjustment(DeviceChoice.Inject inject) {
    if (inject.equals(DeviceChoice.NOTHING)) {
      return EMPTY;
    }
    var adjustment = ContainerAdjustment.newBuilder();
    inject
        .devices()
        .forEach(name -> adjustment.addCDIDevices(CDIDevice.newBuilder().setName(name)));
    inject.mounts().forEach(mount -> adjustment.addMounts(bind(mount)));
    return CreateContainerResponse.newBuilder().setAdjust(adjustment).build().toByteString();
  }

  private static Mount bind(ContainerEdits.Mount mount) {
    return Mount.newBuilder()
        .setType("bind")
        .setSource(mount.hostPath())
        .setDestination(mount.containerPath())
        .addAllOptions(mount.options())
        .build();
  }

  private static Response done(ByteString payload) {
    return Response.newBuilder().setPayload(payload).build();
  }

  private static Response failed(int code, String message) {
    return Response.newBuilder()
        .setStatus(Status.newBuilder().setCode(code).setMessage(message))
        .build();
  }
}
