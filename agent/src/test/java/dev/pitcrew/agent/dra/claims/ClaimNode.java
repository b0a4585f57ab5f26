package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.cdi.CdiClass;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.CdiSpecifications;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNodeMaker;
import dev.pitcrew.hardware.driver.DriverRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/// A node whose GPUs claims serve: the simulated driver in a driver container, read by NVML, and
/// specifications by the production path.
final class ClaimNode {
  static final String NODE = "node-a";
  static final String BOOT = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb";
  static final ObjectMapper JSON = new ObjectMapper();

  final Path folder;
  final Path cdi;
  final NodeDevices devices;

  private ClaimNode(Path folder, NodeDevices devices) {
    this.folder = folder.resolve("plugin");
    this.cdi = folder.resolve("cdi");
    this.devices = devices;
  }

  /// @param gpus how many H100 it has; their UUIDs count up from that of the recordings
  /// @param layout of MIG devices, a line each, as the simulator takes it; empty for none
  static ClaimNode create(Path folder, int gpus, String layout) throws IOException {
    SimulatedNode node =
        SimulatedNode.create(
            Files.createDirectory(folder.resolve("node")),
            SimulatedNodeOptions.of("h100").withGpus(gpus));
    if (!layout.isEmpty()) {
      node.divide(layout);
    }
    var host = new HostRoot(node.hostRoot());
    DriverRoot driver = DriverRoot.below(host, node.options().driverRoot(), Optional.empty());
    Inventory read;
    try (Gpus open =
        Gpus.open(new GpuSettings(host, new HostRoot(node.driverRoot())))
            .toOptional()
            .orElseThrow()) {
      read = open.inventory().toOptional().orElseThrow();
    }
    var minors = new HashSet<>(IntStream.range(0, gpus).boxed().toList());
    var problems = new DeviceNodeMaker(driver, host).makeNodes(minors, capabilities(read));
    if (!problems.isEmpty()) {
      throw new AssertionError(problems.toString());
    }
    Inventory inventory = recorded(read);
    var generated =
        CdiSpecifications.generate(
            CdiInput.read(inventory, driver, host), CdiOptions.ofPlugin().only(CdiClass.GPU));
    return new ClaimNode(
        folder,
        NodeDevices.Available.of(
            NODE, ClaimDevice.of(inventory), generated.specifications().getFirst()));
  }

  private static Set<Integer> capabilities(Inventory inventory) {
    var minors = new HashSet<Integer>();
    inventory.gpus().stream()
        .flatMap(gpu -> gpu.mig().migDevices().stream())
        .flatMap(device -> device.capabilities().stream())
        .forEach(it -> minors.addAll(List.of(it.gpuInstanceMinor(), it.computeInstanceMinor())));
    return minors;
  }

  private static Inventory recorded(Inventory read) {
    return new Inventory(
        read.driver(),
        read.gpus().stream()
            .map(gpu ->
                new Gpu(
                    gpu.index(),
                    gpu.minor(),
                    "GPU-01000100-0000-0000-0000-00000000000" + gpu.index(),
                    gpu.board(),
                    gpu.pci(),
                    gpu.mig(),
                    gpu.fabric()))
            .toList(),
        read.unreadable(),
        read.topology());
  }

  /// A driver that starts with what is on the disk.
  ClaimPreparer start(String bootId) {
    var preparer = new ClaimPreparer(folder, new SpecificationFolder(cdi), bootId);
    preparer.serve(devices);
    return preparer;
  }

  ClaimPreparer start() {
    return start(BOOT);
  }

  String checkpoint() throws IOException {
    return Files.readString(folder.resolve("checkpoint.json"));
  }

  /// Whether the claim has its specification.
  boolean isSpecified(String uid) {
    return Files.exists(cdi.resolve("k8s.gpu.nvidia.com-claim_%s.yaml".formatted(uid)));
  }

  static String uid(String name) {
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /// A claim that is allocated devices, one for each of its requests.
  static ObjectNode claim(String name, String... devices) {
    ArrayNode results = JSON.createArrayNode();
    for (String device : devices) {
      results.addObject().put("request", "r").put("device", device);
    }
    return claim(name, "team", results, JSON.createArrayNode());
  }

  /// @param devices with `request`, `device` and perhaps `adminAccess`
  /// @param config with `source`, `driver`, `requests` and `parameters`
  static ObjectNode claim(String name, String namespace, JsonNode devices, JsonNode config) {
    ObjectNode claim = JSON.createObjectNode();
    claim.putObject("metadata").put("name", name).put("namespace", namespace).put("uid", uid(name));
    ObjectNode allocation = claim.putObject("status").putObject("allocation");
    ObjectNode allocated = allocation.putObject("devices");
    ArrayNode results = allocated.putArray("results");
    for (JsonNode device : devices) {
      ObjectNode result = results.addObject();
      result.set("request", device.path("request"));
      result.put("driver", device.path("driver").asText("gpu.nvidia.com"));
      result.put("pool", device.path("pool").asText(NODE));
      result.set("device", device.path("device"));
      if (device.path("adminAccess").asBoolean(false)) {
        result.put("adminAccess", true);
      }
    }
    if (!config.isEmpty()) {
      ArrayNode settings = allocated.putArray("config");
      for (JsonNode one : config) {
        ObjectNode setting = settings.addObject();
        setting.set("source", one.path("source"));
        if (one.has("requests")) {
          setting.set("requests", one.path("requests"));
        }
        ObjectNode opaque = setting.putObject("opaque");
        opaque.set("driver", one.path("driver"));
        opaque.set("parameters", one.path("parameters"));
      }
    }
    ObjectNode term =
        allocation.putObject("nodeSelector").putArray("nodeSelectorTerms").addObject();
    term.putArray("matchFields")
        .addObject()
        .put("key", "metadata.name")
        .put("operator", "In")
        .putArray("values")
        .add(NODE);
    return claim;
  }
}
