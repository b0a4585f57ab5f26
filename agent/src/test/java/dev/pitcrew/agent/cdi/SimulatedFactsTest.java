package dev.pitcrew.agent.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodes;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The same specifications from what NVML and the kernel say of a node.
class SimulatedFactsTest {
  @TempDir Path folder = Path.of("");

  @ParameterizedTest
  @ValueSource(strings = {"full", "mig-balanced", "plugin-cdi-cri"})
  void specificationOfASimulatedNodeIsTheReferences(String name) throws IOException {
    Fact fact = Fact.read(name);
    CdiInput files = FactsTest.read(fact, folder);
    DeviceNodes nodes = new DeviceNodes(fact.nodes(), Map.of(), List.of());

    CdiInput input = new CdiInput(inventory(fact), files.root(), files.driver(), nodes);

    JsonNode made = FactsTest.specification(input, fact);
    assertThat(made.path("devices")).hasSameSizeAs(fact.specification().path("devices"));
    assertThat(withoutMigUuids(made)).isEqualTo(withoutMigUuids(fact.specification()));
  }

  /// The UUIDs of MIG devices are the driver's choice.
  private static JsonNode withoutMigUuids(JsonNode specification) {
    ObjectNode copy = specification.deepCopy();
    ArrayNode devices = copy.putArray("devices");
    Fact.elements(specification.path("devices"))
        .filter(device -> !device.path("name").asText().startsWith("MIG-"))
        .forEach(devices::add);
    return copy;
  }

  private Inventory inventory(Fact fact) throws IOException {
    Path place = Files.createDirectory(folder.resolve("node"));
    SimulatedNode node =
        SimulatedNode.create(place, SimulatedNodeOptions.of("a100-40g").withGpus(8));
    List<String> layout = fact.texts("mig_state");
    if (!layout.isEmpty()) {
      node.divide(String.join("\n", layout) + "\n");
    }
    var settings = new GpuSettings(new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()));
    try (Gpus gpus = Gpus.open(settings).toOptional().orElseThrow()) {
      return gpus.inventory().toOptional().orElseThrow();
    }
  }
}
