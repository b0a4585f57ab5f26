package dev.pitcrew.device.mig;

import java.util.Map;

/// How many instances a board can have, where NVML counts them wrongly. NVIDIA's mig-parted has the
/// A30 in its code for that (`generate-config`).
public final class KnownCounts {
  private static final int A30 = 0x20B710DE;

  private static final Map<String, Integer> OF_A30 =
      Map.of("1g.6gb", 4, "1g.6gb+me", 1, "2g.12gb", 2, "2g.12gb+me", 1, "4g.24gb", 1);

  private KnownCounts() {}

  public static MigPartitioning corrected(PciIds ids, MigPartitioning division) {
    return division instanceof MigPartitioning.Capable capable && ids.device() == A30
        ? new MigPartitioning.Capable(
            capable.isEnabled(),
            capable.isPending(),
            capable.profiles().stream().map(KnownCounts::ofA30).toList(),
            capable.instances().stream().map(KnownCounts::ofA30).toList(),
            capable.processes())
        : division;
  }

  private static GpuInstance ofA30(GpuInstance instance) {
    return new GpuInstance(
        instance.id(), ofA30(instance.profile()), instance.placement(), instance.computes());
  }

  private static InstanceProfile ofA30(InstanceProfile profile) {
    return new InstanceProfile(
        profile.constant(),
        profile.id(),
        profile.shape(),
        OF_A30.getOrDefault(profile.shape().name(), profile.most()),
        profile.placements());
  }
}
