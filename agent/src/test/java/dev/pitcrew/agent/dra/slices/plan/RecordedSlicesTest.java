package dev.pitcrew.agent.dra.slices.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.agent.dra.PassthroughDevices;
import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.dra.ConsumableShares;
import dev.pitcrew.device.dra.DomainDevice;
import dev.pitcrew.device.dra.ResourcePool;
import dev.pitcrew.device.dra.SliceDevices;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.PartitionProfile;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The slices that NVIDIA's DRA driver published for a node, and those of a simulated node with the
/// same boards. UUIDs and PCI addresses belong to the machine. The recording sorts devices by name,
/// since NVIDIA's driver shuffles them.
class RecordedSlicesTest {
  private static final String NODE = "node-a";
  private static final String NODE_UID = "<node uid>";
  private static final String MASKED = "<of the machine>";
  private static final List<String> OF_THE_MACHINE =
      List.of(
          "uuid",
          "parentUUID",
          "resource.kubernetes.io/pciBusID",
          "resource.kubernetes.io/pcieRoot");

  @TempDir Path folder;
  private @Nullable Path hostRoot;

  @ParameterizedTest
  @CsvSource({
    "slices-h100, h100",
    "slices-t4, t4",
    "slices-mixed-models, t4",
    "mig-static-a100, a100-40g",
    "mig-static-empty, h100",
  })
  void slicesAreThoseOfTheRecording(String name, String profile) {
    JsonNode recorded = read(name + ".json");

    assertThat(slices(inventory(recorded, profile)))
        .isEqualTo(expected(recorded, "ResourceSlices", RecordedSlicesTest::byName));
  }

  @ParameterizedTest
  @CsvSource({"shares-memory, h100", "shares-four, h100"})
  void slicesOfSharedDevicesAreThoseOfTheRecording(String name, String profile) {
    JsonNode recorded = read(name + ".json");
    String said = recorded.at("/env/CONSUMABLE_SHARES").asText();
    SliceDevices devices =
        SliceDevices.of(
            ofMock(inventory(recorded, profile)), ConsumableShares.of(said).orElseThrow());

    assertThat(
            slices(
                ResourcePool.of(ClaimDevice.DRIVER, NODE, devices.devices()),
                RecordedSlicesTest::byName))
        .isEqualTo(expected(recorded, "ResourceSlices", RecordedSlicesTest::byName));
  }

  /// In the order in which the scheduler tries the devices.
  @ParameterizedTest
  @CsvSource({
    "dyn-h100, h100, ResourceSlices, true",
    "dyn-prepare, h100, ResourceSlices, true",
    "dyn-a100-on, a100-40g, ResourceSlices, true",
    "dyn-none, l40s, ResourceSlices, true",
    "dyn-old-h100, h100, slices sent to the API server, false",
  })
  void slicesOfPartitionableGpusAreThoseOfTheRecording(
      String name, String profile, String step, boolean separatesCounters) {
    JsonNode recorded = read(name + ".json");
    SliceDevices devices = SliceDevices.partitioned(ofMock(inventory(recorded, profile)), Set.of());

    assertThat(devices.problems()).isEmpty();
    assertThat(slices(ResourcePool.of(NODE, devices, separatesCounters), List::copyOf))
        .isEqualTo(expected(recorded, step, List::copyOf));
  }

  /// NVML of the recording is a mock without addressing modes; boards with NVLink-C2C have ATS.
  @ParameterizedTest
  @CsvSource({"slices-gb200, gb200"})
  void slicesOfCoherentBoardsAlsoHaveTheAddressingMode(String name, String profile) {
    JsonNode recorded = read(name + ".json");
    ArrayNode ours = slices(inventory(recorded, profile));

    for (JsonNode device : ours.path(0).at("/spec/devices")) {
      JsonNode mode = ((ObjectNode) device.path("attributes")).remove("addressingMode");
      assertThat(mode.path("string").asText()).isEqualTo("ATS");
    }
    assertThat(ours).isEqualTo(expected(recorded, "ResourceSlices", RecordedSlicesTest::byName));
  }

  /// Better than no slice, where the server does not know lists: one number, whatever the server.
  @Test
  void numaNodeIsOneNumber() {
    JsonNode recorded = read("numa-list.json");
    assertThat(recorded.path("steps").path(1).path("got")).isEmpty();

    assertThat(slices(inventory(recorded, "h100")).findValues("resource.kubernetes.io/numaNode"))
        .isNotEmpty()
        .allSatisfy(node -> {
          assertThat(node).hasSize(1);
          assertThat(node.path("int").isInt()).isTrue();
        });
  }

  @Test
  void slicesOfComputeDomainsAreThoseOfTheRecording() {
    ResourcePool pool = ResourcePool.of(NODE, DomainDevice.slice(), true);

    assertThat(slices(pool, RecordedSlicesTest::byName))
        .isEqualTo(
            expected(read("cd-slices-gb200.json"), "ResourceSlices", RecordedSlicesTest::byName));
  }

  /// GPUs for virtual machines beside the same GPUs for containers.
  @Test
  void slicesWithGpusForVirtualMachinesAreThoseOfTheRecording() throws IOException {
    JsonNode recorded = read("vfio-slices.json");
    Inventory inventory = inventory(recorded, "h100");
    addIommu(inventory);
    PassthroughDevices.Offer offer = offer(inventory);
    SliceDevices devices = SliceDevices.of(inventory).and(inventory.driver(), offer.devices());

    assertThat(offer.problem()).isEmpty();
    assertThat(
            slices(
                ResourcePool.of(ClaimDevice.DRIVER, NODE, devices.devices()),
                RecordedSlicesTest::byName))
        .isEqualTo(expected(recorded, "ResourceSlices", RecordedSlicesTest::byName));
  }

  /// Better than an exit, as the recorded driver has it: claims for containers are served.
  @Test
  void withoutIommuNoGpuIsForVirtualMachines() {
    Inventory inventory = inventory(read("vfio-no-iommu.json"), "h100");
    PassthroughDevices.Offer offer = offer(inventory);

    assertThat(offer.devices()).isEmpty();
    assertThat(offer.problem().orElseThrow())
        .contains("PassthroughSupport", "IOMMU", "intel_iommu=on", "FleetPolicy");
  }

  private PassthroughDevices.Offer offer(Inventory inventory) {
    var machines = new PassthroughDevices(host());
    var features =
        new FeatureSwitches(true, true, false, true, new ConsumableShares.Disabled(), false);
    machines.look(features, Optional.of(inventory), List.of());
    return machines.offer(List.of());
  }

  private HostRoot host() {
    return new HostRoot(Objects.requireNonNull(hostRoot));
  }

  private void addIommu(Inventory inventory) throws IOException {
    int group = 30;
    for (Gpu gpu : inventory.gpus()) {
      String address = gpu.pci().address();
      Files.createDirectories(
          host().place("/sys/kernel/iommu_groups/" + group + "/devices/" + address));
      Files.createSymbolicLink(
          host().place("/sys/bus/pci/devices/" + address).resolve("iommu_group"),
          Path.of("/sys/kernel/iommu_groups/" + group));
      group++;
    }
    Path names = host().place("/usr/share/hwdata/pci.ids");
    Files.createDirectories(names.resolveSibling("."));
    Files.writeString(
        names, "10de  NVIDIA Corporation\n\t2330  GH100 [H100 SXM5 80GB]\n10df  Emulex\n");
  }

  private Inventory inventory(JsonNode recorded, String profile) {
    JsonNode described = read("nodes.json").path(recorded.path("node").asText());
    var options =
        SimulatedNodeOptions.of(profile)
            .withGpus(described.path("gpus").size())
            .withDriver(
                described.path("driverVersion").asText(),
                described.path("cudaDriverVersion").asText());
    var node = SimulatedNode.create(folder, options);
    for (JsonNode gpu : described.path("gpus")) {
      int index = gpu.path("minor").asInt();
      node.set(index, "name", gpu.path("name").asText());
      node.set(index, "memory_mib", String.valueOf(gpu.path("memoryBytes").asLong() >> 20));
    }
    if (recorded.has("migStateBefore")) {
      node.divide(
          recorded
              .path("migStateBefore")
              .valueStream()
              .map(line -> line.asText() + "\n")
              .collect(Collectors.joining()));
    }
    hostRoot = node.hostRoot();
    var settings = new GpuSettings(new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()));
    try (var gpus = Gpus.open(settings).toOptional().orElseThrow()) {
      Inventory inventory = gpus.inventory().toOptional().orElseThrow();
      assertThat(inventory.unreadable()).isEmpty();
      return inventory;
    }
  }

  /// The simulated H100 has what a real one has; that of the recording is a mock with rounder
  /// numbers.
  private static Inventory ofMock(Inventory inventory) {
    var amounts = new HashMap<String, MigAttributes>();
    for (JsonNode model : resource("/facts/mig-profiles.json").path("models")) {
      if (model.path("model").asText().equals("h100-80gb")) {
        model.path("profiles").forEach(it -> amounts.put(it.path("name").asText(), amounts(it)));
      }
    }
    return new Inventory(
        inventory.driver(),
        inventory.gpus().stream()
            .map(gpu ->
                new Gpu(
                    gpu.index(),
                    gpu.minor(),
                    gpu.uuid(),
                    gpu.board(),
                    gpu.pci(),
                    switch (gpu.mig()) {
                      case Mig.Disabled(var supported, var partitions) ->
                          new Mig.Disabled(
                              supported, partitions.stream().map(it -> with(it, amounts)).toList());
                      case Mig.Enabled on ->
                          on.with(on.devices().stream().map(it -> with(it, amounts)).toList());
                      case Mig.NotCapable none -> none;
                    },
                    gpu.fabric()))
            .toList(),
        inventory.unreadable(),
        inventory.topology());
  }

  private static PartitionProfile with(PartitionProfile found, Map<String, MigAttributes> amounts) {
    return new PartitionProfile(
        found.id(),
        found.shape(),
        amounts.getOrDefault(found.shape().name(), found.amounts()),
        found.placements());
  }

  private static MigDevice with(MigDevice found, Map<String, MigAttributes> amounts) {
    var changed =
        new MigDevice(
            found.index(),
            found.uuid(),
            found.place(),
            found.profile(),
            amounts.getOrDefault(found.profile().name(), found.attributes()),
            found.memoryBytes(),
            found.capabilities());
    return found.placement().map(changed::at).orElse(changed);
  }

  private static MigAttributes amounts(JsonNode profile) {
    int slices = profile.path("slices").asInt();
    return new MigAttributes(
        profile.path("sm").asInt(),
        slices,
        slices,
        new MigAttributes.Engines(
            profile.path("copy").asInt(),
            profile.path("decoder").asInt(),
            profile.path("encoder").asInt(),
            profile.path("jpeg").asInt(),
            profile.path("ofa").asInt()),
        profile.path("memory_mb").asLong());
  }

  private static ArrayNode slices(Inventory inventory) {
    SliceDevices devices = SliceDevices.of(inventory);
    assertThat(devices.problems()).isEmpty();
    return slices(
        ResourcePool.of(ClaimDevice.DRIVER, NODE, devices.devices()), RecordedSlicesTest::byName);
  }

  private static ArrayNode slices(ResourcePool pool, UnaryOperator<List<JsonNode>> order) {
    var plan = SlicePlan.of(pool, NODE_UID, List.of(), KeptSpecs.NONE);
    ArrayNode slices = JsonNodeFactory.instance.arrayNode();
    for (SliceWrite write : plan.writes()) {
      JsonNode body = ((SliceWrite.Create) write).body();
      assertThat(body.path("apiVersion").asText()).isEqualTo("resource.k8s.io/v1");
      assertThat(body.path("kind").asText()).isEqualTo("ResourceSlice");
      ObjectNode slice = slices.addObject();
      slice.setAll((ObjectNode) body.path("metadata"));
      slice.set("spec", masked(body.path("spec"), order));
    }
    return ApiJson.read(slices.toString(), ArrayNode.class);
  }

  private static ArrayNode expected(
      JsonNode recorded, String action, UnaryOperator<List<JsonNode>> order) {
    JsonNode got =
        recorded
            .path("steps")
            .valueStream()
            .filter(step -> step.path("do").asText().equals(action))
            .findFirst()
            .orElseThrow()
            .path("got");
    ArrayNode slices = got.deepCopy();
    for (JsonNode slice : slices) {
      ((ObjectNode) slice).remove("name");
      ((ObjectNode) slice).set("spec", masked(slice.path("spec"), order));
    }
    return slices;
  }

  private static List<JsonNode> byName(List<JsonNode> devices) {
    return devices.stream()
        .sorted(Comparator.comparing((JsonNode device) -> device.path("name").asText()))
        .toList();
  }

  private static JsonNode masked(JsonNode spec, UnaryOperator<List<JsonNode>> order) {
    ObjectNode masked = spec.deepCopy();
    List<JsonNode> devices = order.apply(masked.path("devices").valueStream().toList());
    for (JsonNode device : devices) {
      ObjectNode attributes = (ObjectNode) device.path("attributes");
      OF_THE_MACHINE.stream()
          .filter(attributes::has)
          .forEach(name -> attributes.putObject(name).put("string", MASKED));
    }
    masked.putArray("devices").addAll(devices);
    return masked;
  }

  private static JsonNode read(String file) {
    return resource("/dra/" + file);
  }

  private static JsonNode resource(String path) {
    try (InputStream content =
        Objects.requireNonNull(RecordedSlicesTest.class.getResourceAsStream(path))) {
      return ApiJson.read(
          new String(content.readAllBytes(), StandardCharsets.UTF_8), JsonNode.class);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
