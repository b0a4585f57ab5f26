package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Board;
import dev.pitcrew.device.inventory.ComputeCapability;
import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Fabric;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Mig;
import dev.pitcrew.device.inventory.MigAttributes;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.device.inventory.MigPlace;
import dev.pitcrew.device.inventory.MigProfile;
import dev.pitcrew.device.inventory.PciFunction;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.device.inventory.UnreadableGpu;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;

/// A GPU for tests, said in a few words: `gpu("MOCKMODEL").divided("3g.20gb", "3g.20gb")`.
record TestGpu(Board board, Mig mig, OptionalInt pciClass, Fabric fabric) {
  static final MigProfile ONE = new MigProfile(1, 1, 5, "");
  static final MigProfile THREE = new MigProfile(3, 3, 20, "");

  private static final int THREE_D_CONTROLLER = 0x030200;

  static TestGpu gpu(String model) {
    return new TestGpu(
        new Board(model, 300L << 20, new ComputeCapability(8, 0)),
        new Mig.NotCapable(),
        OptionalInt.of(THREE_D_CONTROLLER),
        new Fabric.NotAttached());
  }

  TestGpu capability(int major, int minor) {
    var changed = new Board(board.name(), board.memoryBytes(), new ComputeCapability(major, minor));
    return new TestGpu(changed, mig, pciClass, fabric);
  }

  TestGpu memory(long bytes) {
    var changed = new Board(board.name(), bytes, board.computeCapability());
    return new TestGpu(changed, mig, pciClass, fabric);
  }

  TestGpu mig(Mig changed) {
    return new TestGpu(board, changed, pciClass, fabric);
  }

  TestGpu pciClass(OptionalInt changed) {
    return new TestGpu(board, mig, changed, fabric);
  }

  TestGpu clique(UUID cluster, int clique) {
    return new TestGpu(board, mig, pciClass, new Fabric.Attached(cluster, clique));
  }

  /// In MIG mode with these devices.
  TestGpu divided(MigProfile... profiles) {
    var devices = new ArrayList<MigDevice>();
    for (MigProfile profile : profiles) {
      devices.add(device(devices.size(), profile));
    }
    return mig(new Mig.Enabled(Set.copyOf(List.of(profiles)), devices));
  }

  private static MigDevice device(int index, MigProfile profile) {
    long memoryMiB = profile.memoryGigabytes();
    return new MigDevice(
        index,
        "MIG-" + index,
        new MigPlace(index, 0),
        profile,
        new MigAttributes(
            14 * profile.computeSlices(),
            profile.gpuSlices(),
            profile.computeSlices(),
            new MigAttributes.Engines(profile.gpuSlices(), 1, 2, 3, 4),
            memoryMiB),
        memoryMiB << 20,
        Optional.empty());
  }

  /// A node with these GPUs.
  static Inventory node(TestGpu... gpus) {
    return nodeWithLost(gpus.length, gpus);
  }

  /// A node whose GPU at `lost` does not answer; the others keep their order.
  static Inventory nodeWithLost(int lost, TestGpu... gpus) {
    var readable = new ArrayList<Gpu>();
    for (TestGpu gpu : gpus) {
      readable.add(gpu.at(readable.size() < lost ? readable.size() : readable.size() + 1));
    }
    List<UnreadableGpu> unreadable =
        lost < gpus.length
            ? List.of(new UnreadableGpu(lost, "nvmlDeviceGetUUID: GPU is lost"))
            : List.of();
    return new Inventory(
        new DriverVersion("400.300", 8, 0), readable, unreadable, Topology.UNKNOWN);
  }

  static Inventory node(List<TestGpu> gpus) {
    return node(gpus.toArray(TestGpu[]::new));
  }

  private Gpu at(int index) {
    var pci = new PciFunction("0000:0%d:00.0".formatted(index), pciClass, OptionalInt.empty());
    return new Gpu(index, index, "GPU-" + index, board, pci, mig, fabric);
  }
}
