package dev.pitcrew.agent.mig.change;

import dev.pitcrew.agent.mig.plan.DesiredLayout;
import dev.pitcrew.agent.mig.plan.GpuPlan;
import dev.pitcrew.agent.mig.plan.Planner;
import dev.pitcrew.agent.mig.plan.Target;
import dev.pitcrew.agent.mig.plan.Target.Wanted;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.device.mig.ComputeInstance;
import dev.pitcrew.device.mig.ComputeProfiles;
import dev.pitcrew.device.mig.GpuInstance;
import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.MigGpu;
import dev.pitcrew.device.mig.MigPartitioning;
import dev.pitcrew.device.mig.Placement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/// How the GPUs of a node were divided, to be divided so again, each instance at its place.
///
/// @param isModeOnly whether nothing but the MIG mode is wanted back
public record Checkpoint(List<Device> devices, boolean isModeOnly) implements DesiredLayout {
  public Checkpoint {
    devices = List.copyOf(devices);
  }

  /// One GPU, by its UUID.
  public record Device(String uuid, boolean isEnabled, List<Instance> instances) {
    public Device {
      instances = List.copyOf(instances);
    }
  }

  /// A GPU instance.
  ///
  /// @param profile NVML's constant for it
  /// @param computes NVML's constants for its compute instances
  public record Instance(int profile, Placement place, List<Integer> computes) {
    public Instance {
      computes = computes.stream().sorted(Comparator.naturalOrder()).toList();
    }
  }

  /// What is there; GPUs that cannot be divided are left out.
  public static Checkpoint of(List<MigGpu> gpus) {
    return new Checkpoint(gpus.stream().flatMap(gpu -> device(gpu).stream()).toList(), false);
  }

  private static Optional<Device> device(MigGpu gpu) {
    return gpu.division() instanceof MigPartitioning.Capable capable
        ? Optional.of(
            new Device(
                gpu.uuid(),
                capable.isEnabled(),
                capable.instances().stream().map(Checkpoint::instance).toList()))
        : Optional.empty();
  }

  private static Instance instance(GpuInstance instance) {
    return new Instance(
        instance.profile().constant(),
        instance.placement(),
        instance.computes().stream().map(ComputeInstance::constant).toList());
  }

  /// Whether the GPUs are divided exactly so.
  public boolean isMet(List<MigGpu> gpus) {
    return of(gpus).devices().equals(devices);
  }

  /// Any GPU of it that is not among the readable ones may be that one.
  @Override
  public boolean concerns(UnreadableGpu gpu, List<MigGpu> readable) {
    return !missing(readable).isEmpty();
  }

  /// The GPUs of it that are not among these, by UUID.
  List<String> missing(List<MigGpu> gpus) {
    return devices.stream()
        .map(Device::uuid)
        .filter(uuid -> gpus.stream().noneMatch(gpu -> gpu.uuid().equals(uuid)))
        .toList();
  }

  /// With the GPUs of another one that this one does not have.
  Checkpoint and(Checkpoint other) {
    var both = new ArrayList<>(devices);
    other.devices().stream()
        .filter(device -> devices.stream().noneMatch(own -> own.uuid().equals(device.uuid())))
        .forEach(both::add);
    return new Checkpoint(both, isModeOnly);
  }

  private Optional<Device> find(MigGpu gpu) {
    return devices.stream().filter(device -> device.uuid().equals(gpu.uuid())).findFirst();
  }

  @Override
  public Optional<String> refusal(List<MigGpu> gpus) {
    return missing(gpus).stream()
        .findFirst()
        .map("the checkpoint is of a GPU that this node does not have: %s"::formatted);
  }

  @Override
  public Optional<GpuPlan> plan(MigGpu gpu) {
    return find(gpu).map(device -> plan(gpu, device));
  }

  private GpuPlan plan(MigGpu gpu, Device device) {
    if (!(gpu.division() instanceof MigPartitioning.Capable capable)) {
      return Planner.plan(gpu, new Target(device.isEnabled(), List.of()));
    }
    if (isModeOnly) {
      boolean isMet = capable.isEnabled() == device.isEnabled();
      return Planner.plan(
          gpu, isMet ? Target.of(capable) : new Target(device.isEnabled(), List.of()));
    }
    if (capable.hidesProfiles() && device.isEnabled() && !device.instances().isEmpty()) {
      return Planner.modeFirst(gpu, capable);
    }
    var wanted = new ArrayList<Wanted>();
    for (Instance instance : device.instances()) {
      var found = wanted(instance, capable);
      if (found.isEmpty()) {
        return new GpuPlan.Refused(
            gpu, "GPU %d has no MIG profile %d".formatted(gpu.index(), instance.profile()));
      }
      wanted.add(found.get());
    }
    return Planner.plan(gpu, new Target(device.isEnabled(), wanted));
  }

  private static Optional<Wanted> wanted(Instance instance, MigPartitioning.Capable gpu) {
    Optional<InstanceProfile> profile =
        gpu.profiles().stream().filter(found -> found.constant() == instance.profile()).findFirst();
    var slices =
        instance.computes().stream()
            .map(ComputeProfiles::slices)
            .flatMap(found -> found.stream().boxed())
            .toList();
    return profile
        .filter(_ -> slices.size() == instance.computes().size())
        .map(found -> new Wanted(found, Optional.of(instance.place()), slices));
  }
}
