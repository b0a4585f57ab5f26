package dev.pitcrew.agent.mig.config;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.DividedGpu;
import dev.pitcrew.device.mig.Division;
import dev.pitcrew.device.mig.GpuInstance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How the GPUs of a node are divided, as a configuration that would divide them so.
public final class ExportedConfig {
  private final List<DividedGpu> gpus;

  /// Of GPUs that are divided alike.
  private record Alike(boolean isEnabled, Map<MigProfile, Integer> counts) {}

  private ExportedConfig(List<DividedGpu> gpus) {
    this.gpus = gpus;
  }

  public static MigConfig of(List<DividedGpu> gpus, String label) {
    return new MigConfig(Map.of(label, new ExportedConfig(gpus).entries()));
  }

  private List<MigEntry> entries() {
    var groups = new LinkedHashMap<Alike, List<DividedGpu>>();
    gpus.forEach(gpu -> groups.computeIfAbsent(alike(gpu), _ -> new ArrayList<>()).add(gpu));
    return groups.entrySet().stream()
        .map(group -> entry(group.getKey(), group.getValue(), groups.size() == 1))
        .toList();
  }

  private static Alike alike(DividedGpu gpu) {
    return switch (gpu.division()) {
      case Division.NotCapable() -> new Alike(false, Map.of());
      case Division.Capable capable -> new Alike(capable.isEnabled(), counts(capable));
    };
  }

  private static Map<MigProfile, Integer> counts(Division.Capable capable) {
    var counts = new LinkedHashMap<MigProfile, Integer>();
    for (GpuInstance instance : capable.instances()) {
      for (ComputeInstance compute : instance.computes()) {
        counts.merge(instance.profile().part(compute.slices()), 1, Integer::sum);
      }
    }
    return counts;
  }

  private MigEntry entry(Alike alike, List<DividedGpu> members, boolean isOnly) {
    List<String> boards = boards(members);
    boolean areAll =
        gpus.stream().filter(gpu -> boards.contains(board(gpu))).toList().equals(members);
    return new MigEntry(
        isOnly || boards(gpus).size() == 1 ? List.of() : boards,
        areAll ? Optional.empty() : Optional.of(members.stream().map(DividedGpu::index).toList()),
        alike.isEnabled(),
        alike.counts());
  }

  private static List<String> boards(List<DividedGpu> gpus) {
    return gpus.stream().map(ExportedConfig::board).distinct().sorted().toList();
  }

  private static String board(DividedGpu gpu) {
    return gpu.ids().deviceText();
  }
}
