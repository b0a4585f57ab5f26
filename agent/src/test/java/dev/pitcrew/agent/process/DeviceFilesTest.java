package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.events.v1.Event;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The driver's device files: that the agent makes them and the links to them at each load, and
/// what becomes of a GPU without its own.
@WithControlPlane
class DeviceFilesTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final String ADVERTISED = "DevicesAdvertised";
  private static final String BY_CDI =
      "{version: v1, flags: {plugin: {deviceListStrategy: [cdi-cri]}}}";
  private static final String WITHOUT_LINKS =
      """
      {"apiVersion": "pitcrew.dev/v1alpha1", "functions": ["labels", "devicePlugin"],
       "clusterPolicy": {
         "devicePlugin": {"enabled": true, "config": {"name": "plugin-configs", "default": "plain"}},
         "validator": {"driver": {"env": [
           {"name": "DISABLE_DEV_CHAR_SYMLINK_CREATION", "value": "true"}]}}}}
      """;

  private RunningAgent agent;
  private TestKubelet kubelet;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace, @TempDir Path folder)
      throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    kubelet = agent.startKubelet();
    assumeTrue(agent.gpus().hasDeviceNodes(), "device nodes need root");
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
  }

  @Test
  void aGpuWithoutItsFileIsNotOfferedAndIsNamedUntilItHasIt() throws Exception {
    agent.configure(BY_CDI);
    obstruct(1);
    agent.start();
    kubelet.nextRegistration();

    await().atMost(LIMIT).until(() -> agent.condition(ADVERTISED), "True DeviceLeftOut"::equals);
    assertThat(agent.message(ADVERTISED))
        .contains(uuid(1), "/dev/nvidia1", "the agent could not make a file: /dev/nvidia1")
        .contains("the kubelet is offered 3 nvidia.com/gpu");
    assertThat(offered()).isEqualTo(3);
    await().atMost(LIMIT).until(this::notes, notes -> notes.stream().anyMatch(isOf(1)));

    Files.delete(file(1).resolve("in-the-way"));
    Files.delete(file(1));
    await()
        .atMost(LIMIT)
        .until(() -> agent.condition(ADVERTISED), "True DevicesAdvertised"::equals);
    assertThat(offered()).isEqualTo(4);
  }

  @Test
  void whereNoGpuHasOneTheNodeSaysThatNothingIsOffered() throws Exception {
    agent.configure(BY_CDI);
    for (int gpu = 0; gpu < 4; gpu++) {
      obstruct(gpu);
    }
    agent.start();

    await().atMost(LIMIT).until(() -> agent.condition(ADVERTISED), "False DeviceLeftOut"::equals);
    assertThat(agent.message(ADVERTISED)).contains("the kubelet is offered no device", uuid(3));
  }

  @Test
  void filesAndLinksAreMadeAtEachLoadOfTheDriver() throws Exception {
    agent.start();
    awaitReady();
    Map<String, String> links = links();
    assertThat(links)
        .containsEntry("195:0", "/run/nvidia/driver/dev/nvidia0")
        .containsEntry("195:255", "/run/nvidia/driver/dev/nvidiactl")
        .containsValue("/run/nvidia/driver/dev/nvidia-uvm");

    for (String link : links.keySet()) {
      Files.delete(folder().resolve(link));
    }
    agent.gpus().unloadDriver();
    await().atMost(LIMIT).until(() -> agent.condition("DriverReady").startsWith("False"));
    agent.gpus().loadDriver();
    // The numbers of some are others at each load.
    var targets = Set.copyOf(links.values());
    await().atMost(LIMIT).until(() -> Set.copyOf(links().values()).equals(targets));
  }

  @Test
  void noLinkIsMadeWhereThePolicySaysSo() throws Exception {
    agent.provideDocument(WITHOUT_LINKS);
    agent.start();
    awaitReady();

    assertThat(links()).isEmpty();
    assertThat(agent.gpus().driverRoot().resolve("dev/nvidia-uvm")).exists();
  }

  /// What Events said of devices that are left out.
  private List<String> notes() {
    return agent.events().stream()
        .filter(event -> event.getReason().equals("DeviceLeftOut"))
        .map(Event::getNote)
        .toList();
  }

  private Predicate<String> isOf(int gpu) {
    String uuid = uuid(gpu);
    return note -> note.contains(uuid);
  }

  private void awaitReady() {
    await().atMost(LIMIT).until(() -> agent.condition("Ready"), "True Ready"::equals);
  }

  /// What cannot be replaced by a device file.
  private void obstruct(int gpu) throws IOException {
    Files.delete(file(gpu));
    Files.createDirectories(file(gpu).resolve("in-the-way"));
  }

  private Path file(int gpu) {
    return agent.gpus().driverRoot().resolve("dev/nvidia" + gpu);
  }

  private String uuid(int gpu) {
    return agent.gpus().gpus().get(gpu).uuid();
  }

  private long offered() throws InterruptedException {
    try (PluginClient client = kubelet.dial("nvidia-gpu.sock")) {
      return client.watch().next().getDevicesList().stream()
          .map(Device::getHealth)
          .filter("Healthy"::equals)
          .count();
    }
  }

  private Path folder() {
    return agent.gpus().hostRoot().resolve("dev/char");
  }

  /// Where each leads to, by its name.
  private Map<String, String> links() throws IOException {
    var links = new TreeMap<String, String>();
    if (Files.exists(folder())) {
      try (var files = Files.newDirectoryStream(folder())) {
        for (Path link : files) {
          links.put(link.getFileName().toString(), Files.readSymbolicLink(link).toString());
        }
      }
    }
    return links;
  }
}
