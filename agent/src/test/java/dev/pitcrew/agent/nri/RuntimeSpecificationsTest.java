package dev.pitcrew.agent.nri;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The specifications that the plugin's names are of.
class RuntimeSpecificationsTest {
  private static final String HOOK = "/opt/hook";

  private final Path cdi;
  private final SimulatedNode node;
  private final RuntimeSpecifications specifications;

  RuntimeSpecificationsTest(@TempDir Path folder) throws IOException {
    cdi = folder.resolve("cdi");
    node =
        SimulatedNode.create(
            Files.createDirectory(folder.resolve("node")),
            SimulatedNodeOptions.of("a100-80g").withGpus(2));
    specifications = new RuntimeSpecifications(new SpecificationFolder(cdi));
  }

  @Test
  void everyNameOfAGpuIsADeviceAndNoneHasTheDriversFiles() throws IOException {
    var written = specifications.write(input(), HOOK);
    assertThat(written.failures()).isEmpty();
    assertThat(written.devices().gpus())
        .contains("all", "none", "0", "1", node.gpus().getFirst().uuid());
    assertThat(written.devices().hasManagement()).isTrue();
    assertThat(written.devices().mounts())
        .containsKeys("runtime.nvidia.com/gpu=0", "management.nvidia.com/gpu=all")
        .allSatisfy((device, mounts) ->
            assertThat(mounts)
                .as(device)
                .anyMatch(it -> it.hostPath().startsWith(node.options().driverRoot() + "/")));

    JsonNode users =
        new ObjectMapper().readTree(cdi.resolve("runtime.nvidia.com-gpu.json").toFile());
    assertThat(users.path("kind").asText()).isEqualTo("runtime.nvidia.com/gpu");
    assertThat(users.path("devices").findValuesAsText("name"))
        .containsExactlyInAnyOrderElementsOf(written.devices().gpus());
    JsonNode none = device(users, "none");
    assertThat(none.at("/containerEdits/env/0").asText()).isEqualTo("NVCT_EMPTY_DEVICE=");
    assertThat(none.at("/containerEdits/deviceNodes").isMissingNode()).isTrue();
    assertThat(users.at("/containerEdits/env").toString()).contains("NVIDIA_VISIBLE_DEVICES=void");
    assertThat(users.findValuesAsText("hookName")).isNotEmpty();
    assertThat(users.at("/containerEdits/hooks/0/path").asText()).isEqualTo(HOOK);
  }

  @Test
  void theDevicesOfTheNodeLieWhereTheToolkitHasThem() throws IOException {
    specifications.write(input(), HOOK);
    JsonNode management =
        new YAMLMapper().readTree(cdi.resolve("management.nvidia.com-gpu.yaml").toFile());
    assertThat(management.path("kind").asText()).isEqualTo("management.nvidia.com/gpu");
    assertThat(management.path("devices").findValuesAsText("name")).containsExactly("all");
    assertThat(device(management, "all").findValuesAsText("path"))
        .contains("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl");
  }

  @Test
  void folderThatTakesNoFile_isReported_andLeavesTheDevicesUnknown() throws IOException {
    Files.writeString(cdi, "no folder");
    var written = specifications.write(input(), HOOK);
    assertThat(written.devices()).isEqualTo(KnownDevices.NONE);
    assertThat(written.failures()).isNotEmpty().allMatch(line -> line.contains(cdi.toString()));
  }

  private static JsonNode device(JsonNode specification, String name) {
    return StreamSupport.stream(specification.path("devices").spliterator(), false)
        .filter(device -> device.path("name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private CdiInput input() {
    var host = new HostRoot(node.hostRoot());
    var settings = new GpuSettings(host, new HostRoot(node.driverRoot()));
    try (Gpus gpus = Gpus.open(settings).toOptional().orElseThrow()) {
      Inventory inventory = gpus.inventory().toOptional().orElseThrow();
      DriverRoot root = DriverRoot.below(host, node.options().driverRoot(), Optional.empty());
      return CdiInput.read(inventory, root, host);
    }
  }
}
