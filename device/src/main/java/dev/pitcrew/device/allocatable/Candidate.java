package dev.pitcrew.device.allocatable;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.sharing.MigStrategy;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/// What became of one GPU or MIG device of the node (device plugin, device map construction).
sealed interface Candidate {

  record Offered(String resource, Device device) implements Candidate {}

  record Withheld(Problem problem) implements Candidate {}

  /// All of them, in the order of their NVML and MIG index.
  static List<Candidate> of(Inventory inventory, MigStrategy strategy, Health health) {
    List<Gpu> gpus = inventory.gpus();
    return switch (strategy) {
      case NONE -> gpus.stream().map(gpu -> whole(gpu, health)).toList();
      case SINGLE -> Uniform.of(gpus).candidates(health);
      case MIXED -> gpus.stream().flatMap(gpu -> mixed(gpu, health)).toList();
    };
  }

  static List<Offered> offered(List<Candidate> candidates) {
    return candidates.stream()
        .flatMap(candidate -> candidate instanceof Offered it ? Stream.of(it) : Stream.empty())
        .toList();
  }

  static List<Problem> withheld(List<Candidate> candidates) {
    return candidates.stream()
        .flatMap(candidate ->
            candidate instanceof Withheld(var problem) ? Stream.of(problem) : Stream.empty())
        .toList();
  }

  private static Stream<Candidate> mixed(Gpu gpu, Health health) {
    if (!gpu.mig().isEnabled()) {
      return Stream.of(whole(gpu, health));
    }
    if (gpu.mig().migDevices().isEmpty()) {
      return Stream.of(
          new Withheld(Problem.warning(gpu.uuid(), "in MIG mode without any MIG device")));
    }
    return gpu.mig().migDevices().stream().map(part -> byProfile(gpu, part, health));
  }

  private static Candidate byProfile(Gpu gpu, MigDevice part, Health health) {
    return part.profile().isWhole()
        ? part(DefaultResource.of(part.profile()), gpu, part, health)
        : new Withheld(
            Problem.warning(
                part.uuid(),
                "MIG profile " + part.profile() + " shares its GPU instance and has no resource"));
  }

  static Candidate whole(Gpu gpu, Health health) {
    PhysicalDevice physical =
        new PhysicalDevice(
            gpu.uuid(),
            gpu.uuid(),
            new PhysicalDevice.Place(gpu.index(), OptionalInt.empty()),
            gpu.pci().numaNode(),
            List.of(gpuPath(gpu)),
            gpu.board().memoryBytes(),
            gpu.board().computeCapability());
    return new Offered(DefaultResource.GPU, Device.whole(physical, health.of(gpu)));
  }

  static Candidate part(String resource, Gpu gpu, MigDevice part, Health health) {
    return part.capabilities()
        .<Candidate>map(minors ->
            new Offered(resource, Device.whole(physical(gpu, part, minors), health.of(gpu, part))))
        .orElseGet(() ->
            new Withheld(Problem.refusal(part.uuid(), "no capability files for this MIG device")));
  }

  private static PhysicalDevice physical(Gpu gpu, MigDevice part, MigCapabilities minors) {
    return new PhysicalDevice(
        part.uuid(),
        gpu.uuid(),
        new PhysicalDevice.Place(gpu.index(), OptionalInt.of(part.index())),
        gpu.pci().numaNode(),
        List.of(
            gpuPath(gpu),
            capabilityPath(minors.gpuInstanceMinor()),
            capabilityPath(minors.computeInstanceMinor())),
        part.memoryBytes(),
        gpu.board().computeCapability());
  }

  private static String gpuPath(Gpu gpu) {
    return "/dev/nvidia" + gpu.minor();
  }

  private static String capabilityPath(int minor) {
    return "/dev/nvidia-caps/nvidia-cap" + minor;
  }
}
