package dev.pitcrew.agent.cdi;

import com.fasterxml.jackson.databind.JsonNode;
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
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/// Inventories of nodes with A100.
final class Node {
  static final String DRIVER = "550.163.01";

  private static final MigProfile PROFILE = new MigProfile(1, 1, 5, "");

  private Node() {}

  static Inventory withGpus(int count) {
    return inventory(
        IntStream.range(0, count).mapToObj(i -> gpu(i, new Mig.NotCapable())).toList());
  }

  static Inventory inventory(List<Gpu> gpus) {
    return new Inventory(new DriverVersion(DRIVER, 12, 4), gpus, List.of(), Topology.UNKNOWN);
  }

  static Gpu gpu(int index, Mig mig) {
    return new Gpu(
        index,
        index,
        uuid(index),
        new Board("NVIDIA A100-SXM4-40GB", 40L << 30, new ComputeCapability(8, 0)),
        new PciFunction(pciAddress(index), OptionalInt.empty(), OptionalInt.empty()),
        mig,
        new Fabric.NotAttached());
  }

  static String uuid(int index) {
    return "GPU-12345678-1234-1234-1234-12345678000" + index;
  }

  static String pciAddress(int index) {
    return "0000:0" + index + ":00.0";
  }

  static Mig.Enabled divided(MigDevice... devices) {
    return new Mig.Enabled(Set.of(PROFILE), List.of(devices));
  }

  static MigDevice mig(int index, String uuid, String attribute, Optional<MigCapabilities> caps) {
    return new MigDevice(
        index,
        uuid,
        new MigPlace(index + 1, 0),
        new MigProfile(1, 1, 5, attribute),
        new MigAttributes(14, 1, 1, new MigAttributes.Engines(1, 0, 0, 0, 0), 4864),
        4864L << 20,
        caps);
  }

  /// The node of a fact; its layout is that of the fact's `mig_state`, its UUIDs are the names of
  /// the devices with the same nodes.
  static Inventory of(Fact fact) {
    List<Gpu> gpus = new ArrayList<>();
    for (int index = 0; index < 8; index++) {
      List<MigDevice> devices = migDevices(fact, index);
      boolean isWhole = devices.isEmpty();
      gpus.add(
          gpu(index, isWhole ? new Mig.NotCapable() : new Mig.Enabled(Set.of(PROFILE), devices)));
    }
    return inventory(gpus);
  }

  private static List<MigDevice> migDevices(Fact fact, int gpu) {
    List<MigDevice> devices = new ArrayList<>();
    for (String line : fact.texts("mig_state")) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("gi") && words[1].equals(String.valueOf(gpu))) {
        int base = 3 + gpu * 135 + Integer.parseInt(words[2]) * 9;
        var caps = new MigCapabilities(base, base + 1);
        int index = devices.size();
        devices.add(mig(index, uuidOf(fact, gpu + ":" + index), "", Optional.of(caps)));
      }
    }
    return devices;
  }

  private static String uuidOf(Fact fact, String name) {
    JsonNode edits =
        fact.devices()
            .filter(device -> device.path("name").asText().equals(name))
            .findFirst()
            .orElseThrow()
            .path("containerEdits");
    return fact.devices()
        .filter(device -> device.path("containerEdits").equals(edits))
        .map(device -> device.path("name").asText())
        .filter(other -> other.startsWith("MIG-"))
        .findFirst()
        .orElseThrow();
  }
}
