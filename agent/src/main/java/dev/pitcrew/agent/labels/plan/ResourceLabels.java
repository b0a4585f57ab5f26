package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The labels of one resource, all of them under its name.
///
/// @param name such as `nvidia.com/gpu`
record ResourceLabels(String name, OfferTerms offer) {
  private static final String SHARED = "SHARED";
  private static final int MIB_SHIFT = 20;

  /// Whole GPUs of one model.
  Map<String, String> ofGpus(Board board, long count) {
    var labels = new TreeMap<>(common(board.name(), List.of(), count));
    long memoryMiB = board.memoryBytes() >> MIB_SHIFT;
    if (memoryMiB > 0) {
      put(labels, "memory", memoryMiB);
    }
    ComputeCapability capability = board.computeCapability();
    if (capability.major() != 0) {
      labels.put(name + ".family", GpuFamily.of(capability));
      put(labels, "compute.major", capability.major());
      put(labels, "compute.minor", capability.minor());
    }
    return labels;
  }

  /// MIG devices of one profile.
  Map<String, String> ofMigDevices(String model, MigDevice device, long count) {
    var labels = new TreeMap<>(common(model, List.of("MIG", device.profile().dottedName()), count));
    MigAttributes attributes = device.attributes();
    put(labels, "memory", attributes.memoryMiB());
    put(labels, "multiprocessors", attributes.multiprocessors());
    put(labels, "slices.gi", attributes.gpuInstanceSlices());
    put(labels, "slices.ci", attributes.computeInstanceSlices());
    MigAttributes.Engines engines = attributes.engines();
    put(labels, "engines.copy", engines.copy());
    put(labels, "engines.decoder", engines.decoder());
    put(labels, "engines.encoder", engines.encoder());
    put(labels, "engines.jpeg", engines.jpeg());
    put(labels, "engines.ofa", engines.ofa());
    return labels;
  }

  /// A layout that `single` cannot offer: there are GPUs, but none for a pod.
  Map<String, String> ofInvalidLayout(String model) {
    return Map.of(
        name + ".product",
        LabelValue.product(model, List.of("MIG", "INVALID")),
        name + ".count",
        "0",
        name + ".replicas",
        "0",
        name + ".sharing-strategy",
        "",
        name + ".memory",
        "0");
  }

  private Map<String, String> common(String model, List<String> parts, long count) {
    List<String> suffixes = new ArrayList<>(parts);
    Stream.of(SHARED).filter(_ -> offer.isMarked()).forEach(suffixes::add);
    return Map.of(
        name + ".product",
        LabelValue.product(model, suffixes),
        name + ".count",
        String.valueOf(count),
        name + ".replicas",
        String.valueOf(offer.replicas()),
        name + ".sharing-strategy",
        offer.strategy().value());
  }

  private void put(Map<String, String> labels, String key, long value) {
    labels.put(name + "." + key, String.valueOf(value));
  }
}
