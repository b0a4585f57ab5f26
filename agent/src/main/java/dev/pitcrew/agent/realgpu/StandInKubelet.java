package dev.pitcrew.agent.realgpu;

import com.google.protobuf.TextFormat;
import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.kubelet.deviceplugin.AllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.ContainerAllocateRequest;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.DevicePluginGrpc;
import dev.pitcrew.kubelet.deviceplugin.Empty;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import dev.pitcrew.kubelet.deviceplugin.RegistrationGrpc.RegistrationImplBase;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Does for each resource of a device plugin what a kubelet does: it takes the registration, asks
/// for the list and allocates one healthy device (device plugin API v1beta1).
final class StandInKubelet implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final String HEALTHY = "Healthy";

  /// What a plugin offers under one resource name.
  ///
  /// @param failure why a call of the plugin failed; empty where none did
  /// @param allocation what a container would get for one device, as protocol text; empty where no
  ///   device is healthy
  record Offer(
      String resource, String version, List<Device> devices, String allocation, String failure) {}

  private final BlockingQueue<Offer> offers = new LinkedBlockingQueue<>();
  private final DomainSockets sockets = new DomainSockets();
  private final Queue<ManagedChannel> channels = new ConcurrentLinkedQueue<>();
  private final Path folder;
  private final Server server;

  /// @param folder of the sockets
  StandInKubelet(Path folder) throws IOException {
    this.folder = folder;
    server = sockets.server(folder.resolve("kubelet.sock"), new Registrations()).start();
  }

  /// The next resource that is offered, if that is within `timeout`.
  Optional<Offer> next(Duration timeout) throws InterruptedException {
    return Optional.ofNullable(offers.poll(timeout.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
    server.shutdownNow();
    sockets.close();
  }

  private final class Registrations extends RegistrationImplBase {
    @Override
    public void register(RegisterRequest request, StreamObserver<Empty> answer) {
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
      Thread.ofVirtual().name("stand-in").start(() -> offers.add(use(request)));
    }
  }

  private Offer use(RegisterRequest request) {
    var channel = sockets.channel(folder.resolve(request.getEndpoint()));
    channels.add(channel);
    var plugin = DevicePluginGrpc.newBlockingStub(channel);
    List<Device> devices = List.of();
    try {
      // It goes on until the end, as a kubelet's does: a plugin registers again when its list is
      // given up.
      devices = plugin.listAndWatch(Empty.getDefaultInstance()).next().getDevicesList();
      var limited = plugin.withDeadlineAfter(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      return offer(request, devices, allocate(limited, devices), "");
    } catch (StatusRuntimeException e) {
      return offer(request, devices, "", e.getStatus().toString());
    }
  }

  private static Offer offer(
      RegisterRequest request, List<Device> devices, String allocation, String failure) {
    return new Offer(request.getResourceName(), request.getVersion(), devices, allocation, failure);
  }

  private static String allocate(
      DevicePluginGrpc.DevicePluginBlockingStub plugin, List<Device> devices) {
    return devices.stream()
        .filter(device -> device.getHealth().equals(HEALTHY))
        .findFirst()
        .map(device ->
            plugin.allocate(
                AllocateRequest.newBuilder()
                    .addContainerRequests(
                        ContainerAllocateRequest.newBuilder().addDevicesIds(device.getID()))
                    .build()))
        .map(answer -> TextFormat.printer().printToString(answer))
        .orElse("");
  }
}
