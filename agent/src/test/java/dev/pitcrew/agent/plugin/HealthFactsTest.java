package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.GpuWatch;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.HealthSignal;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Events of simulated GPUs, through NVML's event set and the health policy, as lists on a stream.
/// Better than the recording on purpose: all replicas of a unhealthy GPU are unhealthy.
class HealthFactsTest {
  private static final String DISABLED = "DP_DISABLE_HEALTHCHECKS=";

  @TempDir Path folder;
  @TempDir Path nodeFolder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "xid-79",
        "xid-79-disabled",
        "ignored-then-94",
        "ecc-double-bit",
        "ts4",
        "mig-mixed-gi1"
      })
  void recordedEventsMakeTheSameDevicesUnhealthy(String name) throws Exception {
    Facts facts = Facts.read("health/" + name);
    SimulatedNode node = facts.node(nodeFolder);
    try (Gpus gpus = Gpus.open(Facts.settings(node)).toOptional().orElseThrow();
        TestKubelet kubelet = TestKubelet.start(folder);
        DevicePlugins plugins = new DevicePlugins(folder)) {
      Checkup checkup = new Checkup(facts, gpus.inventory().toOptional().orElseThrow(), plugins);
      plugins.publish(checkup.offers());
      facts.json().path("registrations").forEach(_ -> registered(kubelet));
      try (GpuWatch _ = gpus.watch(checkup::hear).toOptional().orElseThrow();
          PluginClient client = kubelet.dial(endpoint(facts))) {
        PluginClient.Watch watch = client.watch();
        assertThat(unhealthy(watch.next())).isEmpty();
        Facts.texts(facts.json().path("trigger")).forEach(line -> trigger(node, line));
        for (JsonNode update : facts.json().path("updates")) {
          assertThat(unhealthy(watch.next()))
              .isNotEmpty()
              .containsExactlyInAnyOrderElementsOf(checkup.expected(update, node));
        }
        assertNothingElseIsUnhealthy(node, watch, facts.json().path("updates").size());
      }
    }
  }

  /// The next list is that of an event of our own: nothing came between.
  private static void assertNothingElseIsUnhealthy(
      SimulatedNode node, PluginClient.Watch watch, int unhealthyBefore)
      throws InterruptedException {
    if (unhealthyBefore == 0) {
      node.xid(3, 79);
      assertThat(unhealthy(watch.next())).hasSize(1);
    }
    assertThat(watch.hasMore()).isFalse();
  }

  private static void registered(TestKubelet kubelet) {
    try {
      kubelet.nextRegistration();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /// The socket of the resource that changes.
  private static String endpoint(Facts facts) {
    String resource =
        facts.json().path("updates").path(0).path("resource").asText("nvidia.com/gpu");
    return "nvidia-" + resource.substring(resource.indexOf('/') + 1) + ".sock";
  }

  private static void trigger(SimulatedNode node, String line) {
    if (!line.startsWith("SLEEP")) {
      node.simulate(line.replace("ecc 0 2", "ecc 0 double").split(" "));
    }
  }

  private static List<String> unhealthy(ListAndWatchResponse list) {
    return list.getDevicesList().stream()
        .filter(device -> device.getHealth().equals("Unhealthy"))
        .map(Device::getID)
        .toList();
  }

  /// What the agent does between an event and the plugin.
  private record Checkup(
      Facts facts,
      Inventory inventory,
      DevicePlugins plugins,
      AtomicReference<UnhealthyDevices> unhealthy) {

    Checkup(Facts facts, Inventory inventory, DevicePlugins plugins) {
      this(facts, inventory, plugins, new AtomicReference<>(UnhealthyDevices.NONE));
    }

    List<Offer> offers() {
      Allocatable allocatable =
          Allocatable.from(
              inventory, facts.migStrategy(), facts.sharing(), unhealthy.get().health());
      return Offer.of(allocatable, inventory.topology(), facts.pluginSettings());
    }

    void hear(HealthSignal signal) {
      if (signal instanceof HealthSignal.Event event) {
        XidEvent.from(event).ifPresent(this::hear);
      }
    }

    private void hear(XidEvent event) {
      unhealthy.updateAndGet(before -> before.after(event, inventory, policy(), Instant.EPOCH));
      try {
        plugins.publish(offers());
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    private XidPolicy policy() {
      String variable = facts.json().path("env").asText();
      return XidPolicy.of(
          variable.startsWith(DISABLED) ? variable.substring(DISABLED.length()) : "", "");
    }

    List<String> expected(JsonNode update, SimulatedNode node) {
      String recorded = Facts.texts(update.path("unhealthy")).getFirst();
      String uuid =
          recorded.startsWith("MIG-")
              ? firstInstance(node)
              : dev.pitcrew.device.allocatable.Device.uuidOf(recorded);
      return offers().stream()
          .flatMap(offer -> offer.resource().devices().stream())
          .filter(device -> device.physical().uuid().equals(uuid))
          .map(device -> device.id())
          .toList();
    }

    /// The MIG device that the recorded event names.
    private static String firstInstance(SimulatedNode node) {
      return node.migDevices().stream()
          .filter(device -> device.gpu() == 0 && device.gpuInstance() == 1)
          .map(device -> device.uuid())
          .findFirst()
          .orElseThrow();
    }
  }
}
