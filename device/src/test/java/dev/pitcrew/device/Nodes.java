package dev.pitcrew.device;

import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigCapabilities;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/// Inventories for tests: servers with GPUs of 40 GB, four on each NUMA node.
public final class Nodes {
  private static final long GIB = 1L << 30;

  private Nodes() {}

  public static Inventory of(Gpu... gpus) {
    return of(Arrays.asList(gpus));
  }

  public static Inventory of(List<Gpu> gpus) {
    return new Inventory(new DriverVersion("550.163.01", 12, 4), gpus, List.of(), Topology.UNKNOWN);
  }

  public static Inventory withGpus(int count) {
    return of(
        IntStream.range(0, count).mapToObj(index -> gpu(index, new Mig.NotCapable())).toList());
  }

  public static Gpu gpu(int index, Mig mig) {
    return new Gpu(
        index,
        index,
        uuid(index),
        new Board("NVIDIA A100-SXM4-40GB", 40 * GIB, new ComputeCapability(8, 0)),
        new PciFunction(
            "0000:%02x:00.0".formatted(index + 1), OptionalInt.empty(), OptionalInt.of(index / 4)),
        mig,
        new Fabric.NotAttached());
  }

  public static String uuid(int index) {
    return "GPU-12345678-1234-1234-1234-%012d".formatted(123456780000L + index);
  }

  /// A GPU in MIG mode with these profiles, such as `1g.5gb` or `1c.3g.20gb`.
  public static Gpu divided(int index, String... profiles) {
    List<MigDevice> parts =
        IntStream.range(0, profiles.length)
            .mapToObj(part -> part(index, part, profile(profiles[part])))
            .toList();
    return gpu(index, new Mig.Enabled(Set.of(), parts));
  }

  public static String migUuid(int gpu, int part) {
    return "MIG-%08d-0000-0000-0000-%012d".formatted(gpu, part);
  }

  private static MigDevice part(int gpu, int index, MigProfile profile) {
    return new MigDevice(
        index,
        migUuid(gpu, index),
        new MigPlace(index + 1, 0),
        profile,
        new MigAttributes(
            14 * profile.computeSlices(),
            profile.gpuSlices(),
            profile.computeSlices(),
            new MigAttributes.Engines(profile.gpuSlices(), 0, 0, 0, 0),
            profile.memoryGigabytes() * 1024L),
        profile.memoryGigabytes() * GIB,
        Optional.of(new MigCapabilities(100 * gpu + 10 * index, 100 * gpu + 10 * index + 1)));
  }

  private static MigProfile profile(String name) {
    String attribute = name.contains("+") ? name.substring(name.indexOf('+')) : "";
    int[] numbers =
        Arrays.stream(name.replace(attribute, "").split("c\\.|g\\.|gb"))
            .mapToInt(Integer::parseInt)
            .toArray();
    int last = numbers.length - 1;
    return new MigProfile(numbers[0], numbers[last - 1], numbers[last], attribute);
  }
}
