package dev.pitcrew.agent.dra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.sockets.DomainSockets;
import dev.pitcrew.agent.sockets.ServiceSocket;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.kubelet.drahealth.DRAResourceHealthGrpc;
import dev.pitcrew.kubelet.drahealth.DeviceHealth;
import dev.pitcrew.kubelet.drahealth.NodeWatchResourcesRequest;
import dev.pitcrew.kubelet.drahealth.NodeWatchResourcesResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceHealthServiceTest {
  private static final String NO_DRIVER = "the driver does not answer";

  @TempDir Path folder;

  private final DomainSockets sockets = new DomainSockets();
  private Instant now = Instant.ofEpochSecond(1_000);
  private final DeviceHealthService service = new DeviceHealthService("node-a", () -> now);
  private ServiceSocket socket;
  private ManagedChannel channel;

  @BeforeEach
  void open() throws IOException {
    socket = ServiceSocket.open(sockets, folder.resolve("dra.sock"), service);
    channel = sockets.channel(folder.resolve("dra.sock"));
  }

  @AfterEach
  void close() {
    channel.shutdownNow();
    socket.close();
    sockets.close();
  }

  @Test
  void streamBeginsWithTheLatestReportAndHasEachLaterOne() throws InterruptedException {
    report(2, Map.of());
    Stream stream = watch();
    assertThat(stream.next())
        .containsExactly("node-a/gpu-0 HEALTHY 1000 ", "node-a/gpu-1 HEALTHY 1000 ");

    now = now.plusSeconds(10);
    report(2, Map.of(Nodes.uuid(1), "Xid 79"));
    assertThat(stream.next())
        .containsExactly("node-a/gpu-0 HEALTHY 1010 ", "node-a/gpu-1 UNHEALTHY 1010 Xid 79");

    now = now.plusSeconds(10);
    service.report(Optional.empty(), Health.ALL_WELL, NO_DRIVER);
    assertThat(stream.next())
        .as("the devices are still allocated to claims")
        .containsExactly(
            "node-a/gpu-0 UNKNOWN 1020 " + NO_DRIVER, "node-a/gpu-1 UNKNOWN 1020 " + NO_DRIVER);
  }

  @Test
  void reasonIsNoLongerThanTheKubeletTakes() throws InterruptedException {
    report(1, Map.of(Nodes.uuid(0), "x".repeat(3000)));

    assertThat(watch().next()).containsExactly("node-a/gpu-0 UNHEALTHY 1000 " + "x".repeat(1024));
  }

  @Test
  void streamEndsWithTheService_andTheNextOneBeginsWithTheLatestReport()
      throws InterruptedException {
    report(1, Map.of());
    Stream first = watch();
    assertThat(first.next()).hasSize(1);
    service.endStreams();
    assertThat(first.end.await(10, TimeUnit.SECONDS)).isTrue();

    report(1, Map.of(Nodes.uuid(0), "Xid 95"));
    assertThat(watch().next()).containsExactly("node-a/gpu-0 UNHEALTHY 1000 Xid 95");
  }

  /// @param unhealthy why, by the UUID of a GPU
  private void report(int gpus, Map<String, String> unhealthy) {
    service.report(
        Optional.of(ClaimDevice.of(Nodes.withGpus(gpus))), new Health(unhealthy), NO_DRIVER);
  }

  private Stream watch() {
    var stream = new Stream();
    DRAResourceHealthGrpc.newStub(channel)
        .nodeWatchResources(NodeWatchResourcesRequest.getDefaultInstance(), stream);
    return stream;
  }

  private static final class Stream implements StreamObserver<NodeWatchResourcesResponse> {
    private final BlockingQueue<NodeWatchResourcesResponse> reports = new LinkedBlockingQueue<>();
    private final CountDownLatch end = new CountDownLatch(1);

    List<String> next() throws InterruptedException {
      NodeWatchResourcesResponse report = reports.poll(10, TimeUnit.SECONDS);
      assertThat(report).isNotNull();
      return report.getDevicesList().stream().map(Stream::line).toList();
    }

    private static String line(DeviceHealth device) {
      return "%s/%s %s %d %s"
          .formatted(
              device.getDevice().getPoolName(),
              device.getDevice().getDeviceName(),
              device.getHealth(),
              device.getLastUpdatedTime(),
              device.getMessage());
    }

    @Override
    public void onNext(NodeWatchResourcesResponse report) {
      reports.add(report);
    }

    @Override
    public void onError(Throwable cause) {
      end.countDown();
    }

    @Override
    public void onCompleted() {
      end.countDown();
    }
  }
}
