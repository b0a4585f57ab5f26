package dev.pitcrew.agent.node;

import static dev.pitcrew.agent.node.StoredFields.PCI_ADDRESS;
import static dev.pitcrew.agent.node.StoredFields.WORD;
import static dev.pitcrew.agent.node.StoredFields.WORDS;
import static dev.pitcrew.agent.node.StoredFields.amount;
import static dev.pitcrew.agent.node.StoredFields.count;
import static dev.pitcrew.agent.node.StoredFields.list;
import static dev.pitcrew.agent.node.StoredFields.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.device.inventory.AddressingMode;
import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.Brand;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.PciFunction;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.stream.Collectors;

/// A GPU as JSON and back.
final class GpuText {
  private static final int MOST_PARTS = 256;

  private GpuText() {}

  static ObjectNode write(Gpu gpu) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("index", gpu.index()).put("minor", gpu.minor()).put("uuid", gpu.uuid());
    object.put("name", gpu.board().name()).put("memoryBytes", gpu.board().memoryBytes());
    ComputeCapability capability = gpu.board().computeCapability();
    object.put("computeMajor", capability.major()).put("computeMinor", capability.minor());
    object.put("pciAddress", gpu.pci().address());
    gpu.pci().pciClass().ifPresent(it -> object.put("pciClass", it));
    gpu.pci().numaNode().ifPresent(it -> object.put("numaNode", it));
    gpu.pci().root().ifPresent(it -> object.put("pciRoot", it));
    gpu.board().brand().ifPresent(it -> object.put("brand", it.name()));
    gpu.board().addressingMode().ifPresent(it -> object.put("addressingMode", it.name()));
    writeMig(gpu.mig(), object);
    if (gpu.fabric() instanceof Fabric.Attached(var cluster, int clique)) {
      object.put("cluster", cluster.toString()).put("clique", clique);
    }
    return object;
  }

  private static void writeMig(Mig mig, ObjectNode gpu) {
    if (!mig.isCapable()) {
      return;
    }
    ObjectNode object = gpu.putObject("mig").put("isEnabled", mig.isEnabled());
    var profiles = object.putArray("profiles");
    mig.supportedProfiles().stream()
        .map(MigText::write)
        .sorted((left, right) -> left.toString().compareTo(right.toString()))
        .forEach(profiles::add);
    var devices = object.putArray("devices");
    mig.migDevices().stream().map(MigText::write).forEach(devices::add);
  }

  /// @throws IllegalArgumentException naming the field that is not as it was kept
  static Gpu read(JsonNode object) {
    return new Gpu(
        count(object, "index"),
        count(object, "minor"),
        text(object, "uuid", StoredFields.UUID),
        new Board(
            text(object, "name", WORDS),
            amount(object, "memoryBytes"),
            new ComputeCapability(count(object, "computeMajor"), count(object, "computeMinor")),
            wordIfAny(object, "brand").map(Brand::valueOf),
            wordIfAny(object, "addressingMode").map(AddressingMode::valueOf)),
        new PciFunction(
            text(object, "pciAddress", PCI_ADDRESS),
            countIfAny(object, "pciClass"),
            countIfAny(object, "numaNode"),
            object.has("pciRoot")
                ? Optional.of(text(object, "pciRoot", StoredFields.PCI_ROOT))
                : Optional.empty()),
        readMig(object.path("mig")),
        readFabric(object));
  }

  private static Mig readMig(JsonNode object) {
    if (object.isMissingNode()) {
      return new Mig.NotCapable();
    }
    var profiles =
        list(object, "profiles", MOST_PARTS).stream()
            .map(MigText::readProfile)
            .collect(Collectors.toSet());
    return object.path("isEnabled").asBoolean()
        ? new Mig.Enabled(
            profiles,
            list(object, "devices", MOST_PARTS).stream().map(MigText::readDevice).toList())
        : new Mig.Disabled(profiles);
  }

  private static Fabric readFabric(JsonNode object) {
    return object.has("cluster")
        ? new Fabric.Attached(
            UUID.fromString(text(object, "cluster", WORD)), count(object, "clique"))
        : new Fabric.NotAttached();
  }

  private static Optional<String> wordIfAny(JsonNode object, String name) {
    return object.has(name) ? Optional.of(text(object, name, WORD)) : Optional.empty();
  }

  private static OptionalInt countIfAny(JsonNode object, String name) {
    return object.has(name) ? OptionalInt.of(count(object, name)) : OptionalInt.empty();
  }
}
