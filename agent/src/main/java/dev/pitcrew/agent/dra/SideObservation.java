package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.control.ProblemLog;
import dev.pitcrew.agent.dra.plan.GpuSide;
import dev.pitcrew.agent.dra.plan.GpuSides;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at what decides the sides of GPUs. It asks the kubelet and the API server only where the
/// answer can end a step of [GpuSides].
final class SideObservation {
  private static final Logger LOG = LoggerFactory.getLogger(SideObservation.class);

  /// How long the kubelet has to record a device that it was allocated just before the device
  /// plugin left it out.
  private static final Duration TO_RECORD = Duration.ofSeconds(1);

  /// Between two lists of all claims of the cluster.
  private static final Duration BETWEEN_LISTS = Duration.ofSeconds(30);

  private static final Pattern DEVICE = Pattern.compile("gpu-(\\d+)(-.*)?");

  private final HoldingPods pods;
  private final AllocatedClaims claims;
  private final PassthroughDevices machines;
  private final LongSupplier nanoTime;
  private final ProblemLog problems = new ProblemLog(LOG);
  private Map<String, Long> leftOutSince = Map.of();
  private Set<String> lookedFor = Set.of();
  private long listedNanos;

  /// @param machines those that claims can give to virtual machines
  /// @param nanoTime as [System#nanoTime]
  SideObservation(
      HoldingPods pods,
      AllocatedClaims claims,
      PassthroughDevices machines,
      LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.pods = pods;
    this.claims = claims;
    this.machines = machines;
  }

  /// @param inventory also with the GPUs of virtual machines
  /// @param sides as they are
  /// @param prepared the devices of claims that are prepared, or whose preparation has begun
  GpuSides.Observed of(
      DraController.Input input, Inventory inventory, GpuSides sides, Set<String> prepared) {
    Set<String> gpus =
        inventory.gpus().stream().map(Gpu::uuid).collect(Collectors.toUnmodifiableSet());
    return new GpuSides.Observed(
        input.isByClaims(),
        gpus,
        mayBeOffered(gpus, input.offered()),
        heldByPods(inventory, sides),
        gpus(inventory, prepared),
        listed(input, inventory),
        allocated(input, inventory, sides));
  }

  /// A GPU counts as offered until it was left out for a moment.
  private Set<String> mayBeOffered(Set<String> gpus, Set<String> offered) {
    long now = nanoTime.getAsLong();
    var since = new HashMap<String, Long>();
    var still = new HashSet<String>();
    for (String gpu : gpus) {
      if (offered.contains(gpu)) {
        still.add(gpu);
      } else {
        long began = leftOutSince.getOrDefault(gpu, now);
        since.put(gpu, began);
        if (now - began < TO_RECORD.toNanos()) {
          still.add(gpu);
        }
      }
    }
    leftOutSince = Map.copyOf(since);
    return still;
  }

  /// The kubelet is asked only where the answer can end a step.
  private Optional<Set<String>> heldByPods(Inventory inventory, GpuSides sides) {
    boolean isAsked =
        inventory.gpus().stream()
            .map(gpu -> sides.byUuid().getOrDefault(gpu.uuid(), GpuSide.LEAVES_PLUGIN))
            .anyMatch(EnumSet.of(GpuSide.PLUGIN, GpuSide.LEAVES_PLUGIN)::contains);
    if (!isAsked) {
      return Optional.empty();
    }
    var gpuOf = new HashMap<String, String>();
    for (Gpu gpu : inventory.gpus()) {
      gpuOf.put(gpu.uuid(), gpu.uuid());
      gpu.mig().migDevices().stream()
          .map(MigDevice::uuid)
          .forEach(device -> gpuOf.put(device, gpu.uuid()));
    }
    return pods.heldDevices()
        .map(held ->
            held.stream()
                .flatMap(device -> Optional.ofNullable(gpuOf.get(device)).stream())
                .collect(Collectors.toUnmodifiableSet()));
  }

  private Optional<Set<String>> allocated(
      DraController.Input input, Inventory inventory, GpuSides sides) {
    var leaving = new HashSet<>(sides.on(side -> side == GpuSide.LEAVES_CLAIMS));
    Optional<Set<String>> listed = listed(input, inventory);
    if (input.isByClaims() || listed.isEmpty()) {
      return Optional.empty();
    }
    leaving.removeAll(listed.get());
    long now = nanoTime.getAsLong();
    boolean isRecent = now - listedNanos < BETWEEN_LISTS.toNanos();
    if (leaving.isEmpty() || (leaving.equals(lookedFor) && isRecent)) {
      return Optional.empty();
    }
    lookedFor = Set.copyOf(leaving);
    listedNanos = now;
    return switch (claims.read()) {
      case AllocatedClaims.Found.Devices(var names) -> Optional.of(gpus(inventory, names));
      case AllocatedClaims.Found.Unknown(var reason) -> {
        problems.lines(List.of(reason));
        yield Optional.empty();
      }
    };
  }

  private Optional<Set<String>> listed(DraController.Input input, Inventory inventory) {
    return input.listed().map(names -> gpus(inventory, names));
  }

  /// The GPUs that devices are, or are parts of.
  private Set<String> gpus(Inventory inventory, Set<String> devices) {
    Set<String> minors =
        devices.stream()
            .map(DEVICE::matcher)
            .filter(Matcher::matches)
            .map(name -> name.group(1))
            .collect(Collectors.toUnmodifiableSet());
    Set<String> ofMachines =
        machines.devices().stream()
            .filter(device -> devices.contains(device.name()))
            .map(device -> device.gpu().uuid())
            .collect(Collectors.toUnmodifiableSet());
    return inventory.gpus().stream()
        .filter(gpu -> minors.contains("" + gpu.minor()) || ofMachines.contains(gpu.uuid()))
        .map(Gpu::uuid)
        .collect(Collectors.toUnmodifiableSet());
  }
}
