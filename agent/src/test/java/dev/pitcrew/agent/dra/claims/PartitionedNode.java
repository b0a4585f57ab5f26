package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.FeatureSwitches;
import dev.pitcrew.agent.dra.claims.plan.NodeDevices;
import dev.pitcrew.device.dra.ClaimDevice;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// A node with simulated GPUs whose MIG devices are made for claims.
final class PartitionedNode {
  private final Path folder;
  private final SimulatedNode node;
  private final TestNode files;
  private final ReentrantLock turn = new ReentrantLock();

  /// @param board such as `h100`
  PartitionedNode(Path folder, String board, int gpus) throws IOException {
    this.folder = folder;
    node =
        SimulatedNode.create(folder.resolve("gpus"), SimulatedNodeOptions.of(board).withGpus(gpus));
    files = TestNode.withGpus(folder, 1);
  }

  SimulatedNode gpus() {
    return node;
  }

  /// The files of claims.
  TestNode files() {
    return files;
  }

  private GpuSettings settings() {
    return new GpuSettings(new HostRoot(node.hostRoot()), new HostRoot(node.driverRoot()));
  }

  private <T> T with(Function<Gpus, T> look) {
    try (var gpus = Gpus.open(settings()).toOptional().orElseThrow()) {
      return look.apply(gpus);
    }
  }

  Inventory inventory() {
    return with(gpus -> gpus.inventory().toOptional().orElseThrow());
  }

  /// What claims can be allocated now.
  NodeDevices devices(ClaimPreparer preparer) {
    Inventory inventory = inventory();
    List<ClaimDevice> devices = ClaimDevice.of(inventory, Optional.of(preparer.ownPartitions()));
    try {
      return TestNode.devices(
          folder,
          inventory.gpus(),
          devices.stream().collect(Collectors.toMap(ClaimDevice::name, Function.identity())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// As after a start.
  ClaimPreparer preparer(Consumer<ClaimPreparer.Step> steps) {
    ClaimPreparer preparer =
        ClaimPreparer.open(
            files.places(TestNode.BOOT),
            new FeatureSwitches(true, false, true),
            files.smi(),
            partitions(),
            new NoPassthrough(),
            (_, _) -> {},
            steps);
    preparer.recover();
    return preparer;
  }

  ClaimPreparer preparer() {
    return preparer(_ -> {});
  }

  PartitionStep partitions() {
    return new MigPartitions(
        this::settings,
        new GpuTurn() {
          @Override
          public <T> Optional<T> take(Supplier<T> change) {
            turn.lock();
            try {
              return Optional.of(change.get());
            } finally {
              turn.unlock();
            }
          }

          @Override
          public <T> T alone(Supplier<T> change) {
            return change.get();
          }

          @Override
          public void changed() {
            // No other part looks at the GPUs.
          }
        },
        files.plugin(),
        InstantSource.system(),
        _ -> {});
  }

  /// The lines of the facts, without the ids that the driver chooses and without the places of
  /// compute instances; a GPU that is not in MIG mode has none.
  List<String> migState() {
    return with(gpus ->
        gpus.partitions().readAll().toOptional().orElseThrow().stream()
            .flatMap(gpu -> lines(gpu).stream())
            .sorted()
            .toList());
  }

  private static List<String> lines(MigGpu gpu) {
    if (!(gpu.division() instanceof MigPartitioning.Capable division) || !division.isEnabled()) {
      return List.of();
    }
    var lines = new ArrayList<String>();
    lines.add("mode %d 1 %d".formatted(gpu.index(), division.isPending() ? 1 : 0));
    for (GpuInstance instance : division.instances()) {
      lines.add(
          "gi %d %d %d %d"
              .formatted(
                  gpu.index(),
                  instance.profile().constant(),
                  instance.placement().start(),
                  instance.placement().size()));
      instance
          .computes()
          .forEach(compute ->
              lines.add(
                  "ci %d %d %d %d"
                      .formatted(gpu.index(), compute.id(), compute.constant(), compute.slices())));
    }
    return lines;
  }

  /// Lines of the facts in the form of [#migState].
  static List<String> masked(List<String> recorded) {
    return recorded.stream()
        .map(line -> {
          String[] words = line.split(" ", -1);
          return switch (words[0]) {
            case "gi" -> String.join(" ", "gi", words[1], words[3], words[4], words[5]);
            case "ci" -> String.join(" ", "ci", words[1], words[3], words[4], words[6]);
            default -> line;
          };
        })
        .sorted()
        .toList();
  }

  Set<String> uuids() {
    return node.gpus().stream().map(gpu -> gpu.uuid()).collect(Collectors.toUnmodifiableSet());
  }
}
