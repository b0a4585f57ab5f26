package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigNode;
import dev.pitcrew.device.mig.MigPartitioning;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// One attempt to give the GPUs of a node a layout, and what is compared meanwhile.
///
/// @param since when the layout is requested
public record MigAttempt(MigLayoutChoice choice, Instant since) {
  /// For a change that is expected soon.
  public static final Duration SOON = Duration.ofMillis(200);

  /// For the snapshot to show what was made.
  static final Duration SETTLES_WITHIN = Duration.ofSeconds(10);

  /// How the GPUs are divided.
  static Map<String, String> layouts(Inventory inventory) {
    var layouts = new TreeMap<String, String>();
    for (Gpu gpu : inventory.gpus()) {
      String parts =
          gpu.mig().migDevices().stream().map(MigDevice::uuid).collect(Collectors.joining(","));
      layouts.put(gpu.uuid(), gpu.mig().isEnabled() + " " + parts);
    }
    return layouts;
  }

  /// The GPUs that do not answer, by NVML index.
  static Set<Integer> silent(KnownGpus known) {
    return Stream.concat(
            known.inventory().gpus().stream()
                .filter(gpu -> known.unanswered().containsKey(gpu.uuid()))
                .map(Gpu::index),
            known.inventory().unreadable().stream().map(UnreadableGpu::index))
        .collect(Collectors.toUnmodifiableSet());
  }

  /// Whether the inventory has the GPUs as they were read.
  static boolean isShown(MigNode node, Inventory inventory) {
    return node.gpus().stream()
        .allMatch(gpu ->
            inventory.gpus().stream()
                .filter(it -> it.uuid().equals(gpu.uuid()))
                .allMatch(it -> isShown(gpu, it)));
  }

  private static boolean isShown(MigGpu gpu, Gpu shown) {
    if (!(gpu.division() instanceof MigPartitioning.Capable capable)) {
      return true;
    }
    Map<String, Long> counts =
        shown.mig().migDevices().stream()
            .collect(Collectors.groupingBy(it -> it.profile().name(), Collectors.counting()));
    Map<String, Long> wanted =
        capable.counts().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, it -> (long) it.getValue()));
    return shown.mig().isEnabled() == capable.isEnabled() && counts.equals(wanted);
  }

  /// The GPUs of which something may be wanted and that cannot be read, a line each.
  static List<String> unread(DesiredLayout wish, MigNode node) {
    return node.unreadable().stream()
        .filter(gpu -> wish.concerns(gpu, node.gpus()))
        .map(gpu -> "GPU %d cannot be read: %s".formatted(gpu.index(), gpu.reason()))
        .toList();
  }

  /// The GPU that a step is about, such as `GPU 3`.
  static String gpu(String step) {
    int end = step.indexOf(':');
    return end < 0 ? step : step.substring(0, end);
  }
}
