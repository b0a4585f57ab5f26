package dev.pitcrew.agent.mig.config;

import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/// The layouts that the boards of a node can have, by the labels of NVIDIA's default layouts.
public final class GeneratedConfig {
  /// By PCI device id; how many MIG devices of each shape a board can have.
  private final Map<String, Map<MigProfile, Integer>> boards;

  private GeneratedConfig(Map<String, Map<MigProfile, Integer>> boards) {
    this.boards = boards;
  }

  /// What came of it.
  public sealed interface Generated {
    /// @param isStandard whether it is the static table, because a driver hides the profiles
    record Made(MigConfig config, boolean isStandard) implements Generated {}

    record None(String reason) implements Generated {}
  }

  public static Generated of(List<MigGpu> gpus) {
    var boards = new TreeMap<String, Map<MigProfile, Integer>>();
    boolean isCapable = false;
    var hidden = new TreeSet<String>();
    for (MigGpu gpu : gpus) {
      if (gpu.division() instanceof MigPartitioning.Capable capable) {
        isCapable = true;
        Map<MigProfile, Integer> counts = counts(capable);
        if (!counts.isEmpty()) {
          boards.put(gpu.ids().deviceText(), counts);
        } else if (capable.hidesProfiles()) {
          hidden.add(gpu.ids().deviceText());
        }
      }
    }
    if (!isCapable) {
      return new Generated.None("no MIG-capable devices found on the system");
    }
    if (!boards.keySet().containsAll(hidden)) {
      return new Generated.Made(StandardConfig.config(), true);
    }
    return boards.isEmpty()
        ? new Generated.None("no MIG profiles discovered for MIG-capable GPUs")
        : new Generated.Made(new GeneratedConfig(boards).config(), false);
  }

  private static Map<MigProfile, Integer> counts(MigPartitioning.Capable capable) {
    var counts = new LinkedHashMap<MigProfile, Integer>();
    for (InstanceProfile profile : capable.profiles()) {
      counts.putIfAbsent(profile.shape(), profile.most());
    }
    return counts;
  }

  private MigConfig config() {
    var layouts = new TreeMap<String, List<MigEntry>>(MigConfigText::naturally);
    layouts.put("all-disabled", List.of(entry(List.of(), false, Map.of())));
    layouts.put("all-enabled", List.of(entry(List.of(), true, Map.of())));
    List<MigEntry> balanced = balanced();
    if (!balanced.isEmpty()) {
      layouts.put("all-balanced", balanced);
    }
    boards.values().stream()
        .flatMap(counts -> counts.keySet().stream())
        .distinct()
        .forEach(shape -> layouts.put("all-" + shape.dottedName(), full(shape)));
    return new MigConfig(layouts);
  }

  // One entry for all boards that can have equally many.
  private List<MigEntry> full(MigProfile shape) {
    var byCount = new TreeMap<Integer, List<String>>();
    boards.forEach((board, counts) -> {
      Integer count = counts.get(shape);
      if (count != null) {
        byCount.computeIfAbsent(count, _ -> new ArrayList<>()).add(board);
      }
    });
    return byCount.entrySet().stream()
        .map(one -> entry(filters(one.getValue()), true, Map.of(shape, one.getKey())))
        .toList();
  }

  private List<MigEntry> balanced() {
    var entries = new ArrayList<MigEntry>();
    boards.forEach((board, counts) ->
        balanced(counts).ifPresent(of -> entries.add(entry(filters(List.of(board)), true, of))));
    return entries;
  }

  /// Boards of seven slices get two, one and one of one, two and three slices; boards of four get
  /// two and one of one and two.
  private static Optional<Map<MigProfile, Integer>> balanced(Map<MigProfile, Integer> counts) {
    int slices = counts.keySet().stream().mapToInt(MigProfile::gpuSlices).max().orElse(0);
    int largest =
        switch (slices) {
          case 7 -> 3;
          case 4 -> 2;
          default -> 0;
        };
    var chosen = new LinkedHashMap<MigProfile, Integer>();
    for (int size = 1; size <= largest; size++) {
      int wanted = size;
      counts.entrySet().stream()
          .filter(one -> one.getKey().attribute().isEmpty())
          .filter(one -> one.getKey().gpuSlices() == wanted)
          .max(Comparator.comparingInt(Map.Entry::getValue))
          .ifPresent(one -> chosen.put(one.getKey(), wanted == 1 ? 2 : 1));
    }
    return Optional.<Map<MigProfile, Integer>>of(chosen)
        .filter(found -> largest > 0 && found.size() == largest);
  }

  private List<String> filters(List<String> of) {
    return boards.size() == 1 ? List.of() : of;
  }

  private static MigEntry entry(
      List<String> filters, boolean isEnabled, Map<MigProfile, Integer> counts) {
    return new MigEntry(filters, Optional.empty(), isEnabled, counts);
  }
}
