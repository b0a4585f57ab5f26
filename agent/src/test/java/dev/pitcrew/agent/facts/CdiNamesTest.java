package dev.pitcrew.agent.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.ConfigParser;
import dev.pitcrew.agent.config.ConfigSources;
import dev.pitcrew.agent.config.ParsedConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.plugin.DevicePlugins;
import dev.pitcrew.agent.plugin.PluginClient;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodeMaker;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.kubelet.deviceplugin.CDIDevice;
import dev.pitcrew.kubelet.deviceplugin.Device;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The names that the device plugin gives are those of the specification, also where several
/// compute instances share a GPU instance. Devices with a part of a GPU instance are specified and
/// not offered, as with the reference (k8s-device-plugin, profiles with fewer compute slices than
/// GPU slices are passed over).
///
/// `nvidia-ctk` numbers MIG devices by NVML's index on their GPU, one for each compute instance
/// (nvidia-container-toolkit, pkg/nvcdi/namer.go and go-nvlib's VisitMigDevices).
class CdiNamesTest {
  private static final String KIND = "k8s.device-plugin.nvidia.com/gpu=";
  private static final Set<Integer> GPUS = Set.of(0, 1, 2, 3, 4, 5, 6, 7);

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "ci-split, uuid, 32, 8",
    "ci-split, index, 32, 8",
    "ci-split2, uuid, 16, 0",
    "ci-split2, index, 16, 0",
    "hetero, index, 26, 26",
  })
  void eachDeviceHasOneNameAndNoOtherHasIt(String layout, String strategy, int count, int offered)
      throws Exception {
    SimulatedNode node =
        SimulatedNode.create(
            Files.createDirectory(folder.resolve("node")),
            SimulatedNodeOptions.of("a100-40g").withGpus(GPUS.size()));
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    node.divide(MigLayouts.lines(layout));
    var host = new HostRoot(node.hostRoot());
    DriverRoot driver = DriverRoot.below(host, node.options().driverRoot(), Optional.empty());
    Inventory inventory = inventory(node, host);
    assertThat(new DeviceNodeMaker(driver, host).makeNodes(GPUS, capabilities(inventory)))
        .isEmpty();
    Path cdi = folder.resolve("cdi");
    Path kubeletFolder = Files.createDirectory(folder.resolve("kubelet"));
    var given = new ArrayList<String>();
    try (var kubelet = TestKubelet.start(kubeletFolder);
        var plugins = new DevicePlugins(kubeletFolder)) {
      var offer = new NodeOffer(config(strategy), new OfferPlaces(host, driver, cdi), plugins);
      var snapshot = new NodeSnapshot.WithDriver(KnownGpus.first(inventory), UnhealthyDevices.NONE);
      int resources = offer.offer(snapshot).resources().size();
      for (int i = 0; i < resources; i++) {
        given.addAll(names(kubelet, kubelet.nextRegistration().getEndpoint()));
      }
    }

    JsonNode specification =
        new ObjectMapper().readTree(cdi.resolve("k8s.device-plugin.nvidia.com-gpu.json").toFile());
    Map<String, Set<String>> specified = nodes(specification);
    assertThat(given).hasSize(offered).doesNotHaveDuplicates();
    assertThat(specified).hasSize(count);
    assertThat(specified.keySet()).containsAll(given);
    assertThat(specified.values()).as("capability files").doesNotHaveDuplicates();
    if (strategy.equals("index")) {
      assertThat(specified).containsKeys("0:0", "0:1").doesNotContainKey("0");
    }
  }

  private static List<String> names(TestKubelet kubelet, String endpoint) throws Exception {
    try (PluginClient client = kubelet.dial(endpoint)) {
      List<List<String>> ids =
          client.watch().next().getDevicesList().stream().map(Device::getID).map(List::of).toList();
      return client.allocate(ids).getContainerResponsesList().stream()
          .flatMap(container -> container.getCdiDevicesList().stream())
          .map(CDIDevice::getName)
          .peek(name -> assertThat(name).startsWith(KIND))
          .map(name -> name.substring(KIND.length()))
          .toList();
    }
  }

  /// What each device of a specification opens; `all` has all of it.
  private static Map<String, Set<String>> nodes(JsonNode specification) {
    var devices = new HashMap<String, Set<String>>();
    for (JsonNode device : specification.path("devices")) {
      var paths = new HashSet<>(device.at("/containerEdits/deviceNodes").findValuesAsText("path"));
      if (!device.path("name").asText().equals("all")) {
        assertThat(devices.put(device.path("name").asText(), paths)).isNull();
      }
    }
    return devices;
  }

  private static Inventory inventory(SimulatedNode node, HostRoot host) {
    var settings = new GpuSettings(host, new HostRoot(node.driverRoot()));
    try (Gpus gpus = Gpus.open(settings).toOptional().orElseThrow()) {
      return gpus.inventory().toOptional().orElseThrow();
    }
  }

  private static Set<Integer> capabilities(Inventory inventory) {
    return inventory.gpus().stream()
        .map(Gpu::mig)
        .flatMap(mig -> mig.migDevices().stream())
        .flatMap(device -> device.capabilities().stream())
        .flatMap(it -> Stream.of(it.gpuInstanceMinor(), it.computeInstanceMinor()))
        .collect(Collectors.toSet());
  }

  private static AgentConfig config(String strategy) {
    var flags =
        Map.of(
            "device-list-strategy", List.of("cdi-cri"),
            "device-id-strategy", List.of(strategy),
            "mig-strategy", List.of("mixed"));
    return switch (ConfigParser.parse(Program.PLUGIN, new ConfigSources(flags, Map.of(), ""))) {
      case ParsedConfig.Accepted(var config, _) -> config;
      case ParsedConfig.Rejected(var problems) -> throw new AssertionError(problems);
    };
  }
}
