package dev.pitcrew.agent.mig.config;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// How the GPUs of a node are divided, as a configuration that would divide them so.
public final class ExportedConfig {
  private final List<MigGpu> gpus;

  /// Of GPUs that are divided alike.
  private record Alike(boolean isEnabled, Map<MigProfile, Integer> counts) {}

  private ExportedConfig(List<MigGpu> gpus) {
    this.gpus = gpus;
  }

  public static MigConfig of(List<MigGpu> gpus, String label) {
    return new MigConfig(Map.of(label, new ExportedConfig(gpus).entries()));
  }

  private List<MigEntry> entries() {
    var groups = new LinkedHashMap<Alike, List<MigGpu>>();
    gpus.forEach(gpu -> groups.computeIfAbsent(alike(gpu), _ -> new ArrayList<>()).add(gpu));
    return groups.entrySet().stream()
        .map(group -> entry(group.getKey(), group.getValue(), groups.size() == 1))
        .toList();
  }

  private static Alike alike(MigGpu gpu) {
    return switch (gpu.division()) {
      case MigPartitioning.NotCapable() -> new Alike(false, Map.of());
      case MigPartitioning.Capable capable -> new Alike(capable.isEnabled(), counts(capable));
    };
  }

  private static Map<MigProfile, Integer> counts(MigPartitioning.Capable capable) {
    var counts = new LinkedHashMap<MigProfile, Integer>();
    for (GpuInstance instance : capable.instances()) {
      for (ComputeInstance compute : instance.computes()) {
        counts.merge(instance.profile().part(compute.slices()), 1, Integer::sum);
      }
    }
    return counts;
  }

  private MigEntry entry(Alike alike, List<MigGpu> members, boolean isOnly) {
    List<String> boards = boards(members);
    boolean areAll =
        gpus.stream().filter(gpu -> boards.contains(board(gpu))).toList().equals(members);
    return new MigEntry(
        isOnly || boards(gpus).size() == 1 ? List.of() : boards,
        areAll ? Optional.empty() : Optional.of(members.stream().map(MigGpu::index).toList()),
        alike.isEnabled(),
        alike.counts());
  }

  private static List<String> boards(List<MigGpu> gpus) {
    return gpus.stream().map(ExportedConfig::board).distinct().sorted().toList();
  }

  private static String board(MigGpu gpu) {
    return gpu.ids().deviceText();
  }
}
