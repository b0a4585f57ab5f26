package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import dev.pitcrew.testbed.trouble.Link;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An API server that is away. `-Dpitcrew.outage=PT10M` keeps it away for as long.
@WithControlPlane
class OutageTest {
  private static final Duration OUTAGE =
      Duration.parse(System.getProperty("pitcrew.outage", "PT6S"));
  private static final Duration BETWEEN_ALLOCATIONS = Duration.ofMillis(500);
  private static final Duration LIMIT = Duration.ofSeconds(90);

  @TempDir private Path folder;
  private final ControlPlane plane;
  private final TestNamespace namespace;
  private RunningAgent agent;
  private Optional<TestKubelet> kubelet = Optional.empty();

  OutageTest(ControlPlane plane, TestNamespace namespace) {
    this.plane = plane;
    this.namespace = namespace;
  }

  @BeforeEach
  void prepare() {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
    if (kubelet.isPresent()) {
      kubelet.get().close();
    }
  }

  @Test
  void outage_devicesAreServedMeanwhile_andAllIsReportedAfterwards() throws Exception {
    RegisterRequest request = startKubelet();
    try (var link = Link.to(plane.apiServerAddress())) {
      agent.startAt(link.address());
      request = kubelet.orElseThrow().nextRegistration();
      await().atMost(LIMIT).until(() -> agent.condition("Ready"), "True Ready"::equals);

      link.breakDown();
      long begin = System.nanoTime();
      agent.configure(
          "{version: v1, sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}}");
      agent.gpus().xid(2, 79);
      await().atMost(LIMIT).until(() -> healthy() == 3);
      kubelet.orElseThrow().close();
      startKubelet();
      assertThat(kubelet.orElseThrow().nextRegistration()).isEqualTo(request);
      int allocations = allocateUntil(begin + OUTAGE.toNanos());
      assertThat(healthy()).isEqualTo(3);
      long away = millisSince(begin);

      link.restore();
      long back = System.nanoTime();
      await().atMost(LIMIT).until(() -> "4".equals(agent.labels().get("nvidia.com/gpu.replicas")));
      long watching = millisSince(back);
      await().atMost(LIMIT).until(() -> agent.message("Healthy").contains("Xid 79"));
      System.out.printf(
          "API server away for %d ms, %d connections tried: %d allocations, an unhealthy GPU and a new kubelet were served; an edit was in force %d ms after its return, the GPUNode right after %d ms%n",
          away, link.opened(), allocations, watching, millisSince(back));
    }
  }

  private RegisterRequest startKubelet() throws IOException {
    kubelet = Optional.of(TestKubelet.start(agent.kubeletFolder()));
    return RegisterRequest.getDefaultInstance();
  }

  private int allocateUntil(long endNanos) throws InterruptedException {
    int allocations = 0;
    try (PluginClient client = kubelet.orElseThrow().dial("nvidia-gpu.sock")) {
      String device = devices(client).getFirst().getID();
      while (endNanos - System.nanoTime() > 0) {
        assertThat(client.allocate(List.of(List.of(device))).getContainerResponsesList())
            .hasSize(1);
        allocations++;
        Thread.sleep(BETWEEN_ALLOCATIONS);
      }
    }
    return allocations;
  }

  private long healthy() throws InterruptedException {
    try (PluginClient client = kubelet.orElseThrow().dial("nvidia-gpu.sock")) {
      return devices(client).stream().filter(it -> it.getHealth().equals("Healthy")).count();
    }
  }

  private static List<Device> devices(PluginClient client) throws InterruptedException {
    return client.watch().next().getDevicesList();
  }

  private static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
