package dev.pitcrew.agent.dra.claims;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cdi.CdiInput;
import dev.pitcrew.agent.cdi.CdiOptions;
import dev.pitcrew.agent.cdi.FakeDriver;
import dev.pitcrew.agent.cdi.SpecificationFolder;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.agent.state.FileReports;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DeviceNode;
import dev.pitcrew.hardware.driver.DeviceNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// A node with GPUs of the facts, below one folder.
///
/// @param devices as the production path makes them
record TestNode(Path folder, NodeDevices devices) {
  static final String NAME = "node-a";
  static final String BOOT = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb";
  private static final String ROOT = "/run/nvidia/driver";
  private static final String HOOK = "/var/lib/kubelet/plugins/gpu.nvidia.com/nvidia-cdi-hook";

  /// By the number of the profile in the MIG state of the facts: the name of its devices, and its
  /// slices.
  private static final Map<Integer, String> PROFILES = Map.of(0, "1g10gb-19", 2, "3g40gb-9");

  /// @param layout lines of a MIG state
  static TestNode of(Path folder, String profile, List<String> layout) throws IOException {
    List<JsonNode> gpus = Facts.elements(Facts.read("nodes").path(profile).path("gpus")).toList();
    var whole = new ArrayList<Gpu>();
    var named = new HashMap<String, ClaimDevice>();
    for (JsonNode fact : gpus) {
      Map<String, MigDevice> parts = parts(fact.path("minor").asInt(), layout);
      Gpu gpu = gpu(fact, List.copyOf(parts.values()));
      whole.add(gpu);
      parts.forEach((name, part) -> named.put(name, new ClaimDevice.MigPart(gpu, part)));
      if (parts.isEmpty()) {
        var device = new ClaimDevice.WholeGpu(gpu);
        named.put(device.name(), device);
      }
    }
    return new TestNode(folder, devices(folder, whole, named));
  }

  /// With so many whole GPUs.
  static TestNode withGpus(Path folder, int count) throws IOException {
    JsonNode fact = Facts.read("nodes").path("h100x1").path("gpus").path(0);
    var gpus = new ArrayList<Gpu>();
    var named = new HashMap<String, ClaimDevice>();
    for (int minor = 0; minor < count; minor++) {
      Gpu gpu = gpu(fact, List.of());
      Gpu other =
          new Gpu(
              minor,
              minor,
              "GPU-01000100-0000-0000-0000-%012d".formatted(minor),
              gpu.board(),
              gpu.pci(),
              gpu.mig(),
              gpu.fabric());
      gpus.add(other);
      named.put("gpu-" + minor, new ClaimDevice.WholeGpu(other));
    }
    return new TestNode(folder, devices(folder, gpus, named));
  }

  static NodeDevices devices(Path folder, List<Gpu> gpus, Map<String, ClaimDevice> named)
      throws IOException {
    var inventory =
        new Inventory(new DriverVersion("550.163.01", 12, 4), gpus, List.of(), Topology.UNKNOWN);
    FakeDriver driver = driver(folder.resolve("driver"));
    CdiInput found = CdiInput.read(inventory, driver.root(), new HostRoot(folder.resolve("host")));
    var input =
        new CdiInput(
            found.inventory(),
            found.root(),
            found.driver(),
            new DeviceNodes(nodes(gpus), Map.of(), List.of()));
    return NodeDevices.of(NAME, named, input, CdiOptions.ofClaims(HOOK));
  }

  private static FakeDriver driver(Path folder) throws IOException {
    String libraries = "/usr/lib/x86_64-linux-gnu/";
    List<String> files =
        Facts.elements(Facts.read("common-cdi-edits").path("gpu").path("mounts"))
            .map(mount -> mount.path("hostPath").asText().substring(ROOT.length()))
            .toList();
    boolean isThere = Files.exists(folder);
    var driver = new FakeDriver(folder);
    if (!isThere) {
      driver
          .files(files)
          .library(libraries + "libnvidia-ml.so.550.163.01", "libnvidia-ml.so.1")
          .link(libraries + "libnvidia-ml.so.1", "libnvidia-ml.so.550.163.01");
    }
    return driver;
  }

  private static List<DeviceNode> nodes(List<Gpu> gpus) {
    Stream<DeviceNode> common =
        Facts.elements(Facts.read("common-cdi-edits").path("gpu").path("deviceNodes"))
            .map(node ->
                new DeviceNode(
                    node.path("path").asText(),
                    node.path("major").asInt(),
                    node.path("minor").asInt(),
                    node.path("fileMode").asInt(),
                    0));
    // The capabilities to configure and to monitor MIG are always there.
    Stream<DeviceNode> capability =
        Stream.of(new DeviceNode("/dev/nvidia-caps/nvidia-cap1", 234, 1, 0400, 0));
    Stream<DeviceNode> own =
        gpus.stream()
            .flatMap(gpu ->
                Stream.concat(
                    Stream.of(
                        new DeviceNode("/dev/nvidia" + gpu.minor(), 195, gpu.minor(), 0666, 0)),
                    gpu.mig().migDevices().stream()
                        .flatMap(part -> part.capabilities().stream())
                        .flatMap(it -> Stream.of(it.gpuInstanceMinor(), it.computeInstanceMinor()))
                        .map(minor ->
                            new DeviceNode(
                                "/dev/nvidia-caps/nvidia-cap" + minor, 234, minor, 0444, 0))));
    return Stream.of(common, capability, own).flatMap(nodes -> nodes).toList();
  }

  private static Gpu gpu(JsonNode fact, List<MigDevice> parts) {
    int minor = fact.path("minor").asInt();
    return new Gpu(
        minor,
        minor,
        fact.path("uuid").asText(),
        new Board(
            fact.path("name").asText(),
            fact.path("memoryBytes").asLong(),
            new ComputeCapability(9, 0)),
        new PciFunction(fact.path("pciBusID").asText(), OptionalInt.empty(), OptionalInt.empty()),
        parts.isEmpty() ? new Mig.NotCapable() : new Mig.Enabled(Set.of(), parts),
        new Fabric.NotAttached());
  }

  /// By the names that claims have for them.
  private static Map<String, MigDevice> parts(int gpu, List<String> layout) {
    var parts = new HashMap<String, MigDevice>();
    for (String line : layout) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("gi") && words[1].equals(String.valueOf(gpu))) {
        int instance = Integer.parseInt(words[2]);
        int first = 3 + gpu * 135 + instance * 9;
        String profile = PROFILES.getOrDefault(Integer.parseInt(words[3]), "");
        parts.put(
            "gpu-%d-mig-%s-%s".formatted(gpu, profile, words[4]),
            new MigDevice(
                    parts.size(),
                    uuid(instance),
                    new MigPlace(instance, 0),
                    words[3].equals("0")
                        ? new MigProfile(1, 1, 10, "")
                        : new MigProfile(3, 3, 40, ""),
                    new MigAttributes(14, 1, 1, new MigAttributes.Engines(1, 0, 0, 0, 0), 4864),
                    4864L << 20,
                    Optional.of(new MigCapabilities(first, first + 1)))
                .at(
                    new MigPlacement(
                        words[3].equals("0") ? 19 : 9,
                        Integer.parseInt(words[4]),
                        Integer.parseInt(words[5]))));
      }
    }
    return parts;
  }

  /// As the facts have it for a GPU instance.
  private static String uuid(int instance) {
    return Facts.read("mig-static-prepare").findValues("concrete").stream()
        .filter(it -> it.path("giId").asInt() == instance)
        .map(it -> it.path("migUUID").asText())
        .findFirst()
        .orElseThrow();
  }

  Path plugin() {
    return folder.resolve("plugins/gpu.nvidia.com");
  }

  Path checkpoint() {
    return plugin().resolve("checkpoint.json");
  }

  Path cdi() {
    return folder.resolve("cdi");
  }

  ClaimPlaces places(String bootId) {
    return new ClaimPlaces(
        plugin(),
        new SpecificationFolder(cdi()),
        NAME,
        bootId,
        new ClaimPlaces.MpsPlaces(new StateFolder(state()), this::marks, plugin().resolve("mps")));
  }

  Path state() {
    return folder.resolve("state");
  }

  Path marks() {
    return folder.resolve("mps");
  }

  ClaimPreparer preparer() {
    return preparer(new FeatureSwitches(true, false, false), (_, _) -> {}, _ -> {});
  }

  ClaimPreparer preparer(
      FeatureSwitches switches, FileReports reports, Consumer<ClaimPreparer.Step> steps) {
    return ClaimPreparer.open(
        places(BOOT), switches, smi(), new NoPartitions(), new NoPassthrough(), reports, steps);
  }

  /// A stand-in for the program that logs how it is called.
  NvidiaSmi smi() {
    try {
      if (Files.notExists(smiProgram())) {
        Files.writeString(
            smiProgram(), "#!/bin/sh\necho \"nvidia-smi $*\" >> '%s'\n".formatted(smiLog()));
        Files.setPosixFilePermissions(smiProgram(), PosixFilePermissions.fromString("rwxr-xr-x"));
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return new NvidiaSmi(
        () -> Optional.of(smiProgram()).filter(Files::exists).map(it -> List.of(it.toString())));
  }

  Path smiProgram() {
    return folder.resolve("nvidia-smi");
  }

  /// The calls since the last look.
  List<String> smiCalls() throws IOException {
    if (Files.notExists(smiLog())) {
      return List.of();
    }
    List<String> calls = Files.readAllLines(smiLog());
    Files.delete(smiLog());
    return calls;
  }

  private Path smiLog() {
    return folder.resolve("nvidia-smi.log");
  }
}
