package dev.pitcrew.agent.dra.domains.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.cdi.CdiDocument;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecification;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.FakeDriver;
import dev.pitcrew.agent.dra.claims.Facts;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What all IMEX daemons get besides the device of their claim (cd-slices-gb200).
class BaseSpecificationTest {
  private static final String DRIVER = "580.65.06";
  private static final String ROOT = "/run/nvidia/driver";
  private static final String LIBRARIES = "/usr/lib/x86_64-linux-gnu/";
  private static final String NAME = "k8s.compute-domain.nvidia.com-device_base.yaml";
  private static final String HOOK =
      "/var/lib/kubelet/plugins/compute-domain.nvidia.com/nvidia-cdi-hook";

  @TempDir private Path folder;

  @Test
  void daemonsGetAllDevicesAsRecorded() throws IOException {
    JsonNode recorded = Facts.read("cd-slices-gb200").findValue(NAME);
    JsonNode common = Facts.read("common-cdi-edits").path("compute-domain-management");
    List<String> files =
        common
            .path("mounts")
            .valueStream()
            .map(mount -> mount.path("hostPath").asText().substring(ROOT.length()))
            .toList();
    FakeDriver driver =
        new FakeDriver(folder.resolve("driver"))
            .files(files)
            .library(LIBRARIES + "libnvidia-ml.so." + DRIVER, "libnvidia-ml.so.1")
            .link(LIBRARIES + "libnvidia-ml.so.1", "libnvidia-ml.so." + DRIVER);
    var inventory =
        new Inventory(new DriverVersion(DRIVER, 13, 0), List.of(), List.of(), Topology.UNKNOWN);
    CdiInput found = CdiInput.read(inventory, driver.root(), new HostRoot(folder.resolve("host")));
    JsonNode devices = recorded.at("/devices/0/containerEdits/deviceNodes");
    var input =
        new CdiInput(
            inventory,
            found.root(),
            found.driver(),
            new DeviceNodes(
                devices.valueStream().flatMap(BaseSpecificationTest::nodes).toList(),
                Map.of(),
                List.of()));

    CdiSpecification base =
        DomainSpecification.base(
            CdiSpecifications.generate(input, CdiOptions.ofDomains(HOOK))
                .specifications()
                .getFirst());
    JsonNode written = new YAMLMapper().readTree(CdiDocument.YAML.text(base));

    assertThat(CdiDocument.YAML.fileName(base)).isEqualTo(NAME);
    assertThat(written.path("kind")).isEqualTo(recorded.path("kind"));
    assertThat(written.path("cdiVersion")).isEqualTo(recorded.path("cdiVersion"));
    assertThat(written.path("containerEdits")).isEqualTo(common);
    JsonNode all = written.at("/devices/0");
    assertThat(all.path("name").asText()).isEqualTo("all");
    assertThat(all.at("/containerEdits/deviceNodes").valueStream())
        .containsAll(devices.valueStream().filter(node -> !node.has("n")).toList())
        .hasSize(devices.size() - 1 + 272);
  }

  /// A run of numbered nodes is one entry in the recording.
  private static Stream<DeviceNode> nodes(JsonNode recorded) {
    String path = recorded.path("path").asText();
    return recorded.has("n")
        ? IntStream.rangeClosed(1, 272)
            .mapToObj(number -> node(recorded, path.replace("<n>", String.valueOf(number)), number))
        : Stream.of(node(recorded, path, recorded.path("minor").asInt()));
  }

  private static DeviceNode node(JsonNode recorded, String path, int minor) {
    return new DeviceNode(
        path, recorded.path("major").asInt(), minor, recorded.path("fileMode").asInt(), 0);
  }
}
