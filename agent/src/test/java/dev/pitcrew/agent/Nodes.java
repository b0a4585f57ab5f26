package dev.pitcrew.agent;

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
import dev.pitcrew.device.inventory.MigPlacement;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;

/// Small inventories for tests.
public final class Nodes {
  private static final MigProfile SMALLEST = new MigProfile(1, 1, 5, "");
  private static final MigAttributes ATTRIBUTES =
      new MigAttributes(14, 1, 1, new MigAttributes.Engines(1, 0, 0, 0, 0), 4864);

  private Nodes() {}

  public static Inventory withGpus(int count) {
    return of(
        IntStream.range(0, count)
            .mapToObj(index -> gpu(index, new Mig.NotCapable()))
            .toArray(Gpu[]::new));
  }

  public static Inventory of(Gpu... gpus) {
    return new Inventory(
        new DriverVersion("550.163.01", 12, 4), Arrays.asList(gpus), List.of(), Topology.UNKNOWN);
  }

  /// A GPU in MIG mode, its devices in GPU instances 1, 2, ...
  public static Gpu divided(int index, int devices) {
    return gpu(
        index,
        new Mig.Enabled(
            Set.of(SMALLEST),
            IntStream.range(0, devices).mapToObj(part -> part(index, part)).toList()));
  }

  public static String uuid(int index) {
    return "GPU-12345678-1234-1234-1234-12345678000" + index;
  }

  public static String migUuid(int gpu, int part) {
    return "MIG-00000000-0000-0000-000" + gpu + "-00000000000" + part;
  }

  public static Gpu gpu(int index, Mig mig) {
    return new Gpu(
        index,
        index,
        uuid(index),
        new Board("NVIDIA A100-SXM4-40GB", 40L << 30, new ComputeCapability(8, 0)),
        new PciFunction("0000:0" + index + ":00.0", OptionalInt.empty(), OptionalInt.of(0)),
        mig,
        new Fabric.NotAttached());
  }

  private static MigDevice part(int gpu, int index) {
    return new MigDevice(
            index,
            migUuid(gpu, index),
            new MigPlace(index + 1, 0),
            SMALLEST,
            ATTRIBUTES,
            4864L << 20,
            Optional.of(new MigCapabilities(100 * gpu + 10 * index, 100 * gpu + 10 * index + 1)))
        .at(new MigPlacement(19, index, 1));
  }
}
