package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.Nodes;
import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.ConfigParser;
import dev.pitcrew.agent.config.ConfigSources;
import dev.pitcrew.agent.config.ParsedConfig;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.offer.NodeOffer;
import dev.pitcrew.agent.offer.OfferPlaces;
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OfferReportTest {
  private static final Inventory TWO_GPUS = Nodes.withGpus(2);

  @TempDir Path kubeletFolder;
  @TempDir Path nodeFolder;
  @TempDir Path cdiFolder;
  private final Semaphore registrations = new Semaphore(0);
  private DevicePlugins plugins;

  @BeforeEach
  void start() throws IOException {
    plugins = new DevicePlugins(kubeletFolder, registrations::release);
  }

  @AfterEach
  void end() {
    plugins.close();
  }

  @Test
  void devicesAreCountedByTheirHealth() throws Exception {
    var unhealthy =
        UnhealthyDevices.NONE.after(
            XidEvent.of(Nodes.uuid(0), 79), TWO_GPUS, XidPolicy.DEFAULT, Instant.EPOCH);

    var report = offer("envvar").offer(snapshot(unhealthy));

    assertThat(report.resources())
        .singleElement()
        .satisfies(it -> {
          assertThat(it.name()).isEqualTo("nvidia.com/gpu");
          assertThat(it.healthy()).isEqualTo(1);
          assertThat(it.unhealthy()).isEqualTo(1);
        });
  }

  @Test
  void report_showsWhetherTheKubeletHasTheOffer() throws Exception {
    var offer = offer("envvar");
    offer.offer(snapshot(UnhealthyDevices.NONE));

    await()
        .until(() -> problem(offer.report()).equals(Optional.of("no kubelet in " + kubeletFolder)));
    try (var kubelet = TestKubelet.start(kubeletFolder)) {
      kubelet.nextRegistration();
      await().until(() -> offer.report().resources().getFirst().isRegistered());
    }
    assertThat(registrations.availablePermits()).isPositive();
  }

  @Test
  void kubeletGetsAnEmptyListOfAResourceThatClaimsTookOver() throws Exception {
    try (var kubelet = TestKubelet.start(kubeletFolder)) {
      var report =
          offer("envvar")
              .offer(
                  snapshot(UnhealthyDevices.NONE),
                  Set.of(Nodes.uuid(0), Nodes.uuid(1)),
                  Set.of("nvidia.com/gpu"));

      try (var client = kubelet.dial(kubelet.nextRegistration().getEndpoint())) {
        assertThat(client.watch().next().getDevicesList()).isEmpty();
      }
      assertThat(report.resources()).isEmpty();
    }
  }

  @Test
  void aSpecificationThatCannotBeWrittenIsAFailureUntilItCan() throws Exception {
    var node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100"));
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    var inTheWay = Files.createFile(cdiFolder.resolve("cdi"));
    var offer = offer("cdi-cri", inTheWay);

    var failed = offer.offer(snapshot(UnhealthyDevices.NONE));
    Files.delete(inTheWay);
    var recovered = offer.refresh(snapshot(UnhealthyDevices.NONE), Set.of(), Set.of());

    assertThat(failed.failures()).isNotEmpty().allMatch(it -> it.contains(inTheWay.toString()));
    assertThat(failed.resources()).isEmpty();
    assertThat(recovered.failures()).isEmpty();
    assertThat(recovered.resources()).hasSize(1);
  }

  @Test
  void anAgentThatStartsOnAFullFolderOffersWhatIsSpecifiedThere() throws Exception {
    var node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100"));
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    offer("cdi-cri").offer(snapshot(UnhealthyDevices.NONE));
    var file = cdiFolder.resolve("k8s.device-plugin.nvidia.com-gpu.json");
    Files.writeString(file, Files.readString(file) + "\n");
    Files.createDirectories(cdiFolder.resolve("spec." + file.getFileName() + ".x.tmp/full"));

    var report = offer("cdi-cri").offer(snapshot(UnhealthyDevices.NONE));

    assertThat(report.failures()).isNotEmpty();
    assertThat(report.resources()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "cdi-cri, /dev/nvidia0, 1",
    "'cdi-annotations,envvar', /dev/nvidia0, 1",
    "envvar, /dev/nvidia0, 2",
    "volume-mounts, /dev/nvidia0, 2",
    "pass-device-specs, /dev/nvidia0, 1",
    "pass-device-specs, /dev/nvidiactl, 2",
  })
  void aDeviceWithoutItsFileIsNotOfferedWhereItIsNeeded(String strategy, String file, int offered)
      throws Exception {
    var node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100"));
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    Files.delete(node.driverRoot().resolve(file.substring(1)));

    var report = offer(strategy).offer(snapshot(UnhealthyDevices.NONE));

    assertThat(report.resources().getFirst().healthy()).isEqualTo(offered);
  }

  @ParameterizedTest
  @CsvSource({
    "false, run nvidia-modprobe -c=0 as root",
    "true, it is offered as soon as the agent has made the file",
  })
  void missingFile_isReportedWithItsCreator(boolean byAgent, String remedy) throws Exception {
    var node = SimulatedNode.create(nodeFolder, SimulatedNodeOptions.of("h100"));
    assumeTrue(node.hasDeviceNodes(), "device nodes need root");
    Files.delete(node.driverRoot().resolve("dev/nvidia0"));
    var places = places(cdiFolder).withNodesMade(byAgent);

    var report =
        new NodeOffer(config("cdi-cri"), places, plugins).offer(snapshot(UnhealthyDevices.NONE));

    assertThat(report.leftOut()).singleElement().asString().contains("/dev/nvidia0", remedy);
  }

  private static Optional<String> problem(OfferReport report) {
    return report.resources().getFirst().problem();
  }

  private NodeOffer offer(String strategy) {
    return offer(strategy, cdiFolder);
  }

  private NodeOffer offer(String strategy, Path folder) {
    return new NodeOffer(config(strategy), places(folder), plugins);
  }

  private OfferPlaces places(Path folder) {
    var host = new HostRoot(nodeFolder);
    var driver = DriverRoot.below(host, "/run/nvidia/driver", Optional.empty());
    return new OfferPlaces(host, driver, folder);
  }

  private static NodeSnapshot snapshot(UnhealthyDevices unhealthy) {
    return new NodeSnapshot.WithDriver(KnownGpus.first(TWO_GPUS), unhealthy);
  }

  private static AgentConfig config(String strategy) {
    var flags =
        switch (strategy) {
          case "pass-device-specs" -> Map.of(strategy, List.of("true"));
          default -> Map.of("device-list-strategy", List.of(strategy));
        };
    return switch (ConfigParser.parse(Program.PLUGIN, new ConfigSources(flags, Map.of(), ""))) {
      case ParsedConfig.Accepted(var config, _) -> config;
      case ParsedConfig.Rejected(var problems) -> throw new AssertionError(problems);
    };
  }
}
