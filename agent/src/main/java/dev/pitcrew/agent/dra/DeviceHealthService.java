package dev.pitcrew.agent.dra;

import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.kubelet.drahealth.DRAResourceHealthGrpc.DRAResourceHealthImplBase;
import dev.pitcrew.kubelet.drahealth.DeviceHealth;
import dev.pitcrew.kubelet.drahealth.DeviceIdentifier;
import dev.pitcrew.kubelet.drahealth.HealthStatus;
import dev.pitcrew.kubelet.drahealth.NodeWatchResourcesRequest;
import dev.pitcrew.kubelet.drahealth.NodeWatchResourcesResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// Streams the health of devices to the kubelet, which writes it into the status of the pods that
/// use them (KEP-4680; feature gate ResourceHealthStatus, on from Kubernetes 1.36). The kubelet
/// takes a device for unknown that was in no report for 30 seconds, so each report is sent, also
/// one without a change.
final class DeviceHealthService extends DRAResourceHealthImplBase {
  /// The version that the driver registers with.
  static final String VERSION = "v1alpha1.DRAResourceHealth";

  private static final int LONGEST_MESSAGE = 1024;

  private final String pool;
  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();

  /// What each stream has got last.
  private final Map<
          ServerCallStreamObserver<NodeWatchResourcesResponse>,
          Optional<NodeWatchResourcesResponse>>
      streams = new HashMap<>();

  private Optional<NodeWatchResourcesResponse> latest = Optional.empty();

  /// @param pool the name of the node
  DeviceHealthService(String pool, InstantSource clock) {
    this.pool = pool;
    this.clock = clock;
  }

  /// @param devices those that claims can be prepared; empty where they cannot be read, and it is
  ///   not known how those of the last report are
  /// @param unknown why that is not known
  void report(Optional<Collection<ClaimDevice>> devices, Health health, String unknown) {
    var response = NodeWatchResourcesResponse.newBuilder();
    devices.ifPresentOrElse(
        known ->
            known.stream()
                .sorted(Comparator.comparing(ClaimDevice::name))
                .forEach(device ->
                    response.addDevices(
                        device
                            .unhealthy(health)
                            .map(why -> device(device.name(), HealthStatus.UNHEALTHY, why))
                            .orElseGet(() -> device(device.name(), HealthStatus.HEALTHY, "")))),
        () ->
            latest.stream()
                .flatMap(before -> before.getDevicesList().stream())
                .map(before -> before.getDevice().getDeviceName())
                .forEach(name -> response.addDevices(device(name, HealthStatus.UNKNOWN, unknown))));
    locked(() -> {
      latest = Optional.of(response.build());
      streams.keySet().forEach(this::send);
    });
  }

  private DeviceHealth device(String name, HealthStatus health, String message) {
    return DeviceHealth.newBuilder()
        .setDevice(DeviceIdentifier.newBuilder().setPoolName(pool).setDeviceName(name))
        .setHealth(health)
        .setLastUpdatedTime(clock.instant().getEpochSecond())
        .setMessage(message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)))
        .build();
  }

  @Override
  public void nodeWatchResources(
      NodeWatchResourcesRequest request, StreamObserver<NodeWatchResourcesResponse> to) {
    var stream = (ServerCallStreamObserver<NodeWatchResourcesResponse>) to;
    stream.setOnCancelHandler(() -> locked(() -> streams.remove(stream)));
    // One that does not read gets what is the latest when it reads again.
    stream.setOnReadyHandler(() -> locked(() -> send(stream)));
    locked(() -> streams.put(stream, Optional.empty()));
  }

  private void send(ServerCallStreamObserver<NodeWatchResourcesResponse> stream) {
    boolean isNews = streams.containsKey(stream) && !latest.equals(streams.get(stream));
    if (isNews && latest.isPresent() && stream.isReady()) {
      streams.replace(stream, latest);
      stream.onNext(latest.get());
    }
  }

  /// Ends the streams; a later one gets the latest report.
  void endStreams() {
    locked(() -> {
      streams.keySet().forEach(StreamObserver::onCompleted);
      streams.clear();
    });
  }

  private void locked(Runnable work) {
    lock.lock();
    try {
      work.run();
    } finally {
      lock.unlock();
    }
  }
}
