package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The MIG strategy `single`: all devices of a node are alike. Where they are not, the shape that
/// most GPUs have is offered, and each GPU of another shape is a problem of its own.
///
/// @param common empty where no GPU has a shape that could be offered
record Uniform(List<Gpu> gpus, Optional<Shape> common) {
  static final String TWO_TYPES = "more than one MIG device type present on node";

  /// What a GPU is made of.
  sealed interface Shape {
    record Whole() implements Shape {}

    record Divided(MigAttributes attributes) implements Shape {}

    record Unfit(String reason) implements Shape {}

    static Shape of(Gpu gpu) {
      if (!gpu.mig().isEnabled()) {
        return new Whole();
      }
      Set<MigAttributes> types =
          gpu.mig().migDevices().stream().map(MigDevice::attributes).collect(Collectors.toSet());
      return switch (types.size()) {
        case 0 -> new Unfit("in MIG mode without any MIG device");
        case 1 -> new Divided(types.iterator().next());
        default -> new Unfit(TWO_TYPES);
      };
    }
  }

  static Uniform of(List<Gpu> gpus) {
    Map<Shape, Long> byShape =
        gpus.stream()
            .map(Shape::of)
            .filter(shape -> !(shape instanceof Shape.Unfit))
            .collect(
                Collectors.groupingBy(
                    Function.identity(), LinkedHashMap::new, Collectors.counting()));
    return new Uniform(gpus, mostFrequent(byShape));
  }

  /// Among equals the shape of the lowest GPU, which is the first in the map.
  private static Optional<Shape> mostFrequent(Map<Shape, Long> byShape) {
    long most = byShape.values().stream().max(Comparator.naturalOrder()).orElse(0L);
    return byShape.entrySet().stream()
        .filter(entry -> entry.getValue() == most)
        .map(Map.Entry::getKey)
        .findFirst();
  }

  List<Candidate> candidates(Health health) {
    return gpus.stream().flatMap(gpu -> candidates(gpu, health)).toList();
  }

  private Stream<Candidate> candidates(Gpu gpu, Health health) {
    Shape shape = Shape.of(gpu);
    if (!common.equals(Optional.of(shape))) {
      return Stream.of(new Candidate.Withheld(Problem.refusal(gpu.uuid(), oddity(shape))));
    }
    return gpu.mig().isEnabled()
        ? gpu.mig().migDevices().stream()
            .map(part -> Candidate.part(DefaultResource.GPU, gpu, part, health))
        : Stream.of(Candidate.whole(gpu, health));
  }

  private String oddity(Shape shape) {
    return switch (shape) {
      case Shape.Unfit(var reason) -> reason;
      case Shape.Whole() -> "not in MIG mode while other GPUs of the node are";
      case Shape.Divided _ ->
          common.equals(Optional.of(new Shape.Whole()))
              ? "in MIG mode while other GPUs of the node are not"
              : TWO_TYPES;
    };
  }
}
