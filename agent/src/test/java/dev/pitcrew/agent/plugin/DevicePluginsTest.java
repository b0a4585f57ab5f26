package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.sockets.SocketFile;
import dev.pitcrew.device.allocatable.Allocatable;
import dev.pitcrew.device.allocatable.Health;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.sharing.MigStrategy;
import dev.pitcrew.device.sharing.Sharing;
import dev.pitcrew.device.sharing.Sharing.DeviceSelection;
import dev.pitcrew.device.sharing.Sharing.SharedResource;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.kubelet.deviceplugin.RegisterRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicePluginsTest {
  private static final String GPU_SOCKET = "nvidia-gpu.sock";

  @TempDir Path folder;
  private TestKubelet kubelet;
  private DevicePlugins plugins;

  @BeforeEach
  void start() throws IOException {
    kubelet = TestKubelet.start(folder);
    plugins = new DevicePlugins(folder);
  }

  @AfterEach
  void end() throws IOException {
    plugins.close();
    kubelet.close();
  }

  @Test
  void aResourceIsRegisteredAndListed() throws Exception {
    plugins.publish(gpus(2));
    RegisterRequest request = kubelet.nextRegistration();
    assertThat(request.getVersion()).isEqualTo("v1beta1");
    assertThat(request.getEndpoint()).isEqualTo(GPU_SOCKET);
    assertThat(request.getResourceName()).isEqualTo("nvidia.com/gpu");
    assertThat(request.getOptions().getGetPreferredAllocationAvailable()).isTrue();
    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      assertThat(client.options()).isEqualTo(request.getOptions());
      assertThat(client.watch().next().getDevicesList())
          .extracting(Device::getID)
          .containsExactly(Nodes.uuid(0), Nodes.uuid(1));
    }
    await().untilAsserted(() -> assertThat(plugins.problems()).isEmpty());
  }

  @Test
  void onlyItsOwnerMayUseTheSocket() throws Exception {
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve(GPU_SOCKET))))
        .isEqualTo("rw-------");
  }

  @Test
  void everyStreamGetsEachChangeOnceAndNoListTwice() throws Exception {
    plugins.publish(gpus(2));
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      List<PluginClient.Watch> watches = List.of(client.watch(), client.watch());
      for (PluginClient.Watch watch : watches) {
        assertThat(watch.next().getDevices(0).getHealth()).isEqualTo("Healthy");
      }
      plugins.publish(gpus(2));
      plugins.publish(offers(Nodes.withGpus(2), Sharing.NONE, unhealthy(0)));
      for (PluginClient.Watch watch : watches) {
        assertThat(watch.next().getDevicesList())
            .extracting(Device::getHealth)
            .containsExactly("Unhealthy", "Healthy");
      }
      plugins.publish(gpus(2));
      for (PluginClient.Watch watch : watches) {
        assertThat(watch.next().getDevices(0).getHealth()).isEqualTo("Healthy");
        assertThat(watch.hasMore()).isFalse();
      }
    }
  }

  @Test
  void aResourceThatIsGoneIsWithdrawnAndTheOtherStays() throws Exception {
    plugins.publish(offers(Nodes.withGpus(2), firstShared(), Health.ALL_WELL));
    kubelet.nextRegistration();
    kubelet.nextRegistration();
    try (PluginClient shared = kubelet.dial("nvidia-gpu.shared.sock");
        PluginClient single = kubelet.dial(GPU_SOCKET)) {
      PluginClient.Watch gone = shared.watch();
      PluginClient.Watch staying = single.watch();
      assertThat(gone.next().getDevicesList()).hasSize(2);
      assertThat(staying.next().getDevicesList()).hasSize(1);
      plugins.publish(gpus(2));
      assertThat(gone.next().getDevicesList()).isEmpty();
      assertThat(gone.hasEnded()).isTrue();
      assertThat(staying.next().getDevicesList()).hasSize(2);
      assertThat(sockets()).containsExactly(GPU_SOCKET, "kubelet.sock");
    }
    assertThat(kubelet.hasMoreRegistrations()).isFalse();
  }

  @Test
  void kubeletThatRestarts_getsTheListAgain() throws Exception {
    plugins.publish(gpus(2));
    kubelet.nextRegistration();
    kubelet.close();
    Files.delete(folder.resolve(GPU_SOCKET));
    kubelet = TestKubelet.start(folder);
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      assertThat(client.watch().next().getDevicesList())
          .extracting(Device::getHealth)
          .containsExactly("Healthy", "Healthy");
    }
  }

  @Test
  void aServerStaysWhenTheKubeletLeavesItsSocketAlone() throws Exception {
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    SocketFile before = SocketFile.at(folder.resolve(GPU_SOCKET)).orElseThrow();
    kubelet.close();
    kubelet = TestKubelet.start(folder);
    kubelet.nextRegistration();
    assertThat(SocketFile.at(folder.resolve(GPU_SOCKET))).contains(before);
  }

  @Test
  void aRefusedRegistrationIsTriedAgain() throws Exception {
    kubelet.close();
    kubelet = TestKubelet.refusing(folder, 3);
    plugins.publish(gpus(1));
    assertThat(kubelet.nextRegistration().getResourceName()).isEqualTo("nvidia.com/gpu");
  }

  @Test
  void withoutKubeletTheTroubleIsNamed() throws Exception {
    kubelet.close();
    plugins.publish(gpus(1));
    await()
        .untilAsserted(() ->
            assertThat(plugins.problems())
                .isEqualTo(Map.of("nvidia.com/gpu", "no kubelet in " + folder)));
    kubelet = TestKubelet.start(folder);
    kubelet.nextRegistration();
  }

  @Test
  void aStaleSocketIsReplaced() throws Exception {
    Files.writeString(folder.resolve(GPU_SOCKET), "left behind");
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      assertThat(client.preStart()).isNotNull();
    }
  }

  @Test
  void anotherProcessMayTakeOverAndKeepsItsSocket() throws Exception {
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    try (DevicePlugins second = new DevicePlugins(folder)) {
      second.publish(gpus(1));
      kubelet.nextRegistration();
      await()
          .untilAsserted(() ->
              assertThat(plugins.problems().get("nvidia.com/gpu"))
                  .startsWith("another process serves"));
      plugins.close();
      assertThat(sockets()).containsExactly(GPU_SOCKET, "kubelet.sock");
      try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
        assertThat(client.watch().next().getDevicesList()).hasSize(1);
      }
    }
    assertThat(sockets()).containsExactly("kubelet.sock");
  }

  @Test
  void kubeletThatDropsTheList_getsItAgainOnce() throws Exception {
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      client.watch().next();
    }
    kubelet.nextRegistration();
    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      assertThat(client.watch().next().getDevicesList()).hasSize(1);
      assertThat(kubelet.hasMoreRegistrations()).isFalse();
    }
  }

  @Test
  void aListThatAnotherStreamStillGetsIsNotLost() throws Exception {
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    try (PluginClient staying = kubelet.dial(GPU_SOCKET)) {
      PluginClient.Watch watch = staying.watch();
      watch.next();
      try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
        client.watch().next();
      }
      plugins.publish(offers(Nodes.withGpus(1), Sharing.NONE, unhealthy(0)));
      watch.next();
      assertThat(kubelet.hasMoreRegistrations()).isFalse();
    }
  }

  @Test
  void theProcessThatStandsByTakesOverWhenTheOtherDies() throws Exception {
    plugins.publish(gpus(1));
    kubelet.nextRegistration();
    Process other = new OtherAgent(folder).start();
    kubelet.nextRegistration();
    await()
        .untilAsserted(() ->
            assertThat(plugins.problems().get("nvidia.com/gpu"))
                .startsWith("another process serves"));

    other.destroyForcibly().waitFor();
    kubelet.nextRegistration();

    try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
      assertThat(client.watch().next().getDevicesList()).hasSize(1);
    }
  }

  @Test
  void theKubeletMayHaveAnotherNameOrNone() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    try (TestKubelet named = TestKubelet.named(elsewhere, "registration");
        DevicePlugins there =
            new DevicePlugins(
                KubeletPlace.ofSocket(elsewhere.resolve("registration").toString()), () -> {})) {
      there.publish(gpus(1));
      assertThat(named.nextRegistration().getEndpoint()).isEqualTo(GPU_SOCKET);
    }
    assertThat(kubelet.hasMoreRegistrations()).isFalse();
    try (DevicePlugins alone =
        new DevicePlugins(KubeletPlace.ofSocket("").movedTo(folder), () -> {})) {
      alone.publish(gpus(1));
      await().untilAsserted(() -> assertThat(alone.problems()).isEmpty());
      try (PluginClient client = kubelet.dial(GPU_SOCKET)) {
        assertThat(client.watch().next().getDevicesList()).hasSize(1);
      }
    }
    assertThat(kubelet.hasMoreRegistrations()).isFalse();
  }

  @Test
  void aCleanStopLeavesNoSocket() throws Exception {
    plugins.publish(offers(Nodes.withGpus(2), firstShared(), Health.ALL_WELL));
    kubelet.nextRegistration();
    kubelet.nextRegistration();
    plugins.close();
    assertThat(sockets()).containsExactly("kubelet.sock");
  }

  private List<String> sockets() throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList().reversed();
    }
  }

  private static Health unhealthy(int gpu) {
    return new Health(Map.of(Nodes.uuid(gpu), "Xid 79"));
  }

  private static Sharing firstShared() {
    return new Sharing(
        Sharing.Strategy.TIME_SLICING,
        List.of(
            new SharedResource(
                "nvidia.com/gpu",
                Optional.of("nvidia.com/gpu.shared"),
                new DeviceSelection.First(1),
                2)),
        false);
  }

  private static List<Offer> gpus(int count) {
    return offers(Nodes.withGpus(count), Sharing.NONE, Health.ALL_WELL);
  }

  private static List<Offer> offers(Inventory inventory, Sharing sharing, Health health) {
    return Offer.of(
        Allocatable.from(inventory, MigStrategy.NONE, sharing, health),
        Topology.UNKNOWN,
        PluginSettings.DEFAULT);
  }
}
