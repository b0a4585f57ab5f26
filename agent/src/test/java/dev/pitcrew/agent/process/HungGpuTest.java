package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.node.NodeWatch;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A GPU that hangs, between the driver and the kubelet's list. No event reports it.
@WithControlPlane
class HungGpuTest {
  private static final int GPU = 1;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private RunningAgent agent;
  private TestKubelet kubelet;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    agent.provide("\"labels\", \"devicePlugin\", \"health\"");
    kubelet = agent.startKubelet();
  }

  @AfterEach
  void end() throws IOException {
    agent.gpus().release(GPU);
    agent.close();
  }

  @Test
  void kubelet_isNotifiedLongBeforeTheHungGpuCountsAsUnhealthy() throws Exception {
    agent.start();
    String endpoint = kubelet.nextRegistration().getEndpoint();
    await().atMost(LIMIT).until(() -> agent.condition("Ready"), "True Ready"::equals);
    String uuid = agent.gpus().gpus().get(GPU).uuid();
    try (var log = new LogCapture(NodeWatch.class);
        PluginClient client = kubelet.dial(endpoint)) {
      var lists = client.watch();
      assertThat(unhealthy(lists.next())).isEmpty();

      long hung = System.nanoTime();
      agent.gpus().hang(GPU);
      ListAndWatchResponse list = lists.next();
      System.out.printf(
          "GPU hangs -> kubelet notified: %d ms%n", (System.nanoTime() - hung) / 1_000_000);
      assertThat(unhealthy(list)).containsExactly(uuid);
      assertThat(log.lines())
          .filteredOn(line -> line.contains("the device is unhealthy"))
          .first(STRING)
          .as("not yet that it hangs, which takes longer to decide")
          .endsWith("does not answer at the moment");

      agent.gpus().release(GPU);
      assertThat(unhealthy(lists.next())).isEmpty();
    }
  }

  private static List<String> unhealthy(ListAndWatchResponse list) {
    return list.getDevicesList().stream()
        .filter(device -> !device.getHealth().equals("Healthy"))
        .map(Device::getID)
        .toList();
  }
}
