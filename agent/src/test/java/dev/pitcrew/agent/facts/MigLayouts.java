package dev.pitcrew.agent.facts;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The MIG layouts of the recorded labels, in the lines of the simulator.
///
/// The records name a layout and do not describe it; these are the layouts that explain the counts
/// that were recorded. Those of `all-1g`, `all-balanced` and `hetero` are also recorded instance by
/// instance with the device plugin.
final class MigLayouts {
  private static final int GPUS = 8;

  /// @param profile NVML's number of the GPU instance profile
  /// @param compute the compute instances within it
  private record Instance(int profile, int start, int size, List<Compute> compute) {}

  private record Compute(int profile, int start, int size) {}

  private static final Compute ONE = new Compute(0, 0, 1);
  private static final Compute TWO = new Compute(1, 0, 2);
  private static final Compute THREE = new Compute(2, 0, 3);
  private static final Compute SEVEN = new Compute(4, 0, 7);

  private static final List<Instance> EMPTY = List.of();
  private static final List<Instance> SEVEN_1G =
      IntStream.range(0, 7).mapToObj(MigLayouts::oneSlice).toList();
  private static final List<Instance> TWO_3G =
      List.of(new Instance(2, 0, 4, List.of(THREE)), new Instance(2, 4, 4, List.of(THREE)));

  private MigLayouts() {}

  /// The lines for all GPUs that are in MIG mode.
  static String lines(String name) {
    return IntStream.range(0, GPUS)
        .filter(gpu -> !name.equals("half") || gpu < GPUS / 2)
        .mapToObj(gpu -> lines(gpu, ofGpu(name, gpu)))
        .collect(Collectors.joining());
  }

  private static List<Instance> ofGpu(String name, int gpu) {
    return switch (name) {
      case "all-1g" -> SEVEN_1G;
      case "all-7g" -> List.of(new Instance(4, 0, 8, List.of(SEVEN)));
      case "all-balanced" ->
          List.of(
              new Instance(1, 0, 2, List.of(TWO)),
              new Instance(2, 4, 4, List.of(THREE)),
              oneSlice(2),
              oneSlice(3));
      case "empty" -> EMPTY;
      // Four of the eight GPUs are in MIG mode.
      case "half" -> TWO_3G;
      case "hetero" -> gpu < 2 ? SEVEN_1G : TWO_3G;
      // 21 devices 2g.10gb: seven GPUs have three, one has none.
      case "one-empty" -> gpu == GPUS - 1 ? EMPTY : threeOfTwoSlices();
      // Three 1g.10gb and one 1g.5gb+me on each.
      case "me" -> mediaEngines();
      // A whole 3g.20gb and one that is split into three on each.
      case "ci-split" ->
          List.of(new Instance(2, 0, 4, List.of(THREE)), new Instance(2, 4, 4, split(3)));
      // One 2g.10gb that is split into two on each.
      case "ci-split2" -> List.of(new Instance(1, 0, 2, split(2)));
      default -> throw new IllegalArgumentException("no layout is known as " + name);
    };
  }

  private static Instance oneSlice(int start) {
    return new Instance(0, start, 1, List.of(ONE));
  }

  private static List<Instance> threeOfTwoSlices() {
    return IntStream.of(0, 2, 4)
        .mapToObj(start -> new Instance(1, start, 2, List.of(TWO)))
        .toList();
  }

  private static List<Instance> mediaEngines() {
    return List.of(
        new Instance(9, 0, 2, List.of(ONE)),
        new Instance(9, 2, 2, List.of(ONE)),
        new Instance(9, 4, 2, List.of(ONE)),
        new Instance(7, 6, 1, List.of(ONE)));
  }

  private static List<Compute> split(int parts) {
    return IntStream.range(0, parts).mapToObj(start -> new Compute(0, start, 1)).toList();
  }

  private static String lines(int gpu, List<Instance> instances) {
    var lines = new StringBuilder("mode %d 1 1\n".formatted(gpu));
    for (int i = 0; i < instances.size(); i++) {
      append(lines, gpu, i + 1, instances.get(i));
    }
    return lines.toString();
  }

  private static void append(StringBuilder lines, int gpu, int id, Instance instance) {
    lines.append(
        "gi %d %d %d %d %d\n"
            .formatted(gpu, id, instance.profile(), instance.start(), instance.size()));
    for (int i = 0; i < instance.compute().size(); i++) {
      Compute part = instance.compute().get(i);
      lines.append(
          "ci %d %d %d %d %d %d\n"
              .formatted(gpu, id, i, part.profile(), part.start(), part.size()));
    }
  }
}
