package dev.pitcrew.agent.metrics.plan;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// Which GPUs and GPU instances have series, as `--devices` of dcgm-exporter says it.
///
/// @param numbers empty for all
public record DeviceSelection(Kind kind, Set<Integer> numbers) {
  /// Each instance of a GPU that has any, else the GPU.
  public static final DeviceSelection FLEXIBLE = new DeviceSelection(Kind.FLEXIBLE, Set.of());

  private static final Pattern TEXT =
      Pattern.compile("f|(?<kind>[gi])(?::(?<list>-1|\\d+(?:-\\d+)?(?:,\\d+(?:-\\d+)?)*))?");
  private static final int LIMIT = 1024;

  enum Kind {
    FLEXIBLE,
    GPUS,
    INSTANCES
  }

  public DeviceSelection {
    numbers = Set.copyOf(numbers);
  }

  /// `f`, `g`, `i`, `g:0,2-3`, `i:1`; empty for anything else.
  public static Optional<DeviceSelection> parse(String text) {
    Matcher match = TEXT.matcher(text);
    if (!match.matches()) {
      return Optional.empty();
    }
    if (text.equals("f")) {
      return Optional.of(FLEXIBLE);
    }
    var kind = match.group("kind").equals("g") ? Kind.GPUS : Kind.INSTANCES;
    String list = Optional.ofNullable(match.group("list")).orElse("-1");
    if (list.equals("-1")) {
      return Optional.of(new DeviceSelection(kind, Set.of()));
    }
    var numbers = new HashSet<Integer>();
    for (String range : list.split(",", -1)) {
      int[] ends = Arrays.stream(range.split("-", -1)).mapToInt(DeviceSelection::limited).toArray();
      IntStream.rangeClosed(ends[0], ends[ends.length - 1]).forEach(numbers::add);
    }
    return Optional.of(new DeviceSelection(kind, numbers)).filter(it -> !it.numbers.isEmpty());
  }

  private static int limited(String digits) {
    return digits.length() > 4 ? LIMIT : Math.min(LIMIT, Integer.parseInt(digits));
  }

  /// What of these GPUs has series, in their order.
  public List<Part> parts(List<Gpu> gpus) {
    var parts = new ArrayList<Part>();
    for (Gpu gpu : gpus) {
      List<Part> instances = instances(gpu);
      switch (kind) {
        case FLEXIBLE -> parts.addAll(instances.isEmpty() ? List.of(Part.whole(gpu)) : instances);
        case GPUS -> {
          if (numbers.isEmpty() || numbers.contains(gpu.index())) {
            parts.add(Part.whole(gpu));
          }
        }
        case INSTANCES ->
            instances.stream()
                .filter(part -> numbers.isEmpty() || numbers.contains(part.instanceId()))
                .forEach(parts::add);
      }
    }
    return List.copyOf(parts);
  }

  /// Several compute instances of one GPU instance have one series.
  private static List<Part> instances(Gpu gpu) {
    Map<Integer, Part> byId = new LinkedHashMap<>();
    for (MigDevice device : gpu.mig().migDevices()) {
      byId.putIfAbsent(device.place().gpuInstance(), Part.of(gpu, device));
    }
    return List.copyOf(byId.values());
  }
}
