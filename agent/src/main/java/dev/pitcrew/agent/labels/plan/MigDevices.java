package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// All MIG devices of one profile on a node.
///
/// @param devices at least one, in the order of GPU and MIG index
record MigDevices(List<Placed> devices) {
  record Placed(Gpu gpu, MigDevice device) {}

  /// By the profile's name.
  static SortedMap<String, MigDevices> byProfile(List<Gpu> gpus) {
    var lists = new TreeMap<String, List<Placed>>();
    gpus.stream()
        .sorted(Comparator.comparingInt(Gpu::index))
        .flatMap(gpu -> gpu.mig().migDevices().stream().map(device -> new Placed(gpu, device)))
        .forEach(placed ->
            lists
                .computeIfAbsent(placed.device().profile().name(), _ -> new ArrayList<>())
                .add(placed));
    var profiles = new TreeMap<String, MigDevices>();
    lists.forEach((profile, devices) -> profiles.put(profile, new MigDevices(devices)));
    return profiles;
  }

  /// The device whose properties are shown: of the model with the most of them, the first.
  Placed example() {
    List<Gpu> hosts = devices.stream().map(Placed::gpu).toList();
    String model =
        GpuModel.of(hosts).stream()
            .max(Comparator.comparingInt(candidate -> candidate.gpus().size()))
            .map(GpuModel::name)
            .orElse("");
    return devices.stream()
        .filter(placed -> placed.gpu().board().name().equals(model))
        .findFirst()
        .orElse(devices.getFirst());
  }

  /// What all devices offer under one name.
  Map<String, String> labels(ResourceLabels resource) {
    Placed example = example();
    return resource.ofMigDevices(example.gpu().board().name(), example.device(), devices.size());
  }
}
