package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.agent.Nodes;
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
import dev.pitcrew.agent.offer.OfferReport;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.linux.DeviceFile;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// No device is offered by a specification of the driver that was loaded before.
class DriverReloadTest {
  private static final String FORMER = "550.163.01";
  private static final String NEXT = "570.172.08";

  @TempDir private Path folder;
  private DevicePlugins plugins;
  private SimulatedNode former;
  private SimulatedNode next;
  private Path cdi;
  private Path file;

  @BeforeEach
  void prepare() throws Exception {
    former = node("former", FORMER, "12.4");
    next = node("next", NEXT, "12.8");
    assumeTrue(former.hasDeviceNodes(), "device nodes need root");
    plugins = new DevicePlugins(Files.createDirectory(folder.resolve("kubelet")));
    cdi = folder.resolve("cdi");
    file = cdi.resolve("k8s.device-plugin.nvidia.com-gpu.json");
    DeviceFile.make(former.driverRoot().resolve("dev/nvidia-uvm"), 500, 0, 0666);
    assertThat(offer(former).offer(snapshot(FORMER)).resources()).hasSize(1);
    assertThat(file).content().contains(FORMER, "\"major\":500");
  }

  @AfterEach
  void end() {
    if (plugins != null) {
      plugins.close();
    }
  }

  /// An agent that was killed: before it wrote, with a draft, and with a draft of which the folder
  /// has only a part.
  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{\"cdiVersion\":\"0.5.0\"}"})
  void anAgentThatStartsAfterALoadReplacesWhatAKilledOneLeft(String draft) throws Exception {
    Path left = cdi.resolve("spec." + file.getFileName() + ".abc.tmp");
    if (!draft.isEmpty()) {
      Files.writeString(left, draft);
    }
    assertThat(offer(next).offer(snapshot(NEXT)).resources()).hasSize(1);
    assertThat(file).content().contains(NEXT).doesNotContain(FORMER);
    assertThat(left).doesNotExist();
  }

  @Test
  void whereTheNextCannotBeWrittenTheFormerGoesAndNothingIsOffered() throws Exception {
    forbidWriting();
    OfferReport report = offer(next).offer(snapshot(NEXT));
    assertThat(report.resources()).isEmpty();
    assertThat(report.failures()).isNotEmpty();
    assertThat(file).doesNotExist();
  }

  @Test
  void theSameVersionWithOtherNumbersIsAnotherLoad() throws Exception {
    forbidWriting();
    renumber(former.driverRoot().resolve("dev/nvidia-uvm"));
    OfferReport report = offer(former).offer(snapshot(FORMER));
    assertThat(report.resources()).isEmpty();
    assertThat(file).doesNotExist();
  }

  @Test
  void aGpuWithAnotherNodeIsAnotherDevice() throws Exception {
    forbidWriting();
    renumber(former.driverRoot().resolve("dev/nvidia1"));
    assertThat(offer(former).offer(snapshot(FORMER)).resources()).isEmpty();
  }

  @Test
  void theSameDriverWithOneFileMoreIsServedByTheFormer() throws Exception {
    forbidWriting();
    Path library =
        former.driverRoot().resolve("usr/lib/x86_64-linux-gnu/libnvidia-new.so." + FORMER);
    Files.createDirectories(library.getParent());
    Files.writeString(library, "");
    OfferReport report = offer(former).offer(snapshot(FORMER));
    assertThat(report.failures()).singleElement().asString().contains("last specification stays");
    assertThat(report.resources()).hasSize(1);
  }

  private SimulatedNode node(String name, String version, String cuda) throws IOException {
    return SimulatedNode.create(
        Files.createDirectory(folder.resolve(name)),
        SimulatedNodeOptions.of("h100").withDriver(version, cuda));
  }

  /// The draft of another writer that cannot be removed stands for a full or read-only disk.
  private void forbidWriting() throws IOException {
    Files.createDirectories(cdi.resolve("spec." + file.getFileName() + ".x.tmp/full"));
  }

  private static void renumber(Path node) throws IOException {
    DeviceFile old = DeviceFile.at(node).orElseThrow();
    Files.delete(node);
    DeviceFile.make(node, old.major() == 501 ? 502 : 501, old.minor(), 0666);
  }

  /// Of a process that has just started.
  private NodeOffer offer(SimulatedNode node) {
    var host = new HostRoot(node.hostRoot());
    var driver = DriverRoot.below(host, node.options().driverRoot(), Optional.empty());
    return new NodeOffer(config(), new OfferPlaces(host, driver, cdi), plugins);
  }

  private static NodeSnapshot snapshot(String version) {
    Inventory gpus = Nodes.withGpus(2);
    var inventory =
        new Inventory(
            new DriverVersion(version, 12, 4), gpus.gpus(), gpus.unreadable(), gpus.topology());
    return new NodeSnapshot.WithDriver(KnownGpus.first(inventory), UnhealthyDevices.NONE);
  }

  private static AgentConfig config() {
    var flags = Map.of("device-list-strategy", List.of("cdi-cri"));
    return switch (ConfigParser.parse(Program.PLUGIN, new ConfigSources(flags, Map.of(), ""))) {
      case ParsedConfig.Accepted(var config, _) -> config;
      case ParsedConfig.Rejected(var problems) -> throw new AssertionError(problems);
    };
  }
}
