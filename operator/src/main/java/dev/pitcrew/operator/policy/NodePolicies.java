package dev.pitcrew.operator.policy;

import dev.pitcrew.api.clusterpolicy.ClusterPolicySpec;
import dev.pitcrew.api.clusterpolicy.DriverSpec;
import dev.pitcrew.operator.node.DriverDemand;
import dev.pitcrew.operator.node.NodePolicy;
import dev.pitcrew.operator.node.SandboxMode;
import dev.pitcrew.operator.node.WorkloadConfig;
import java.util.Objects;
import java.util.Optional;

/// What a ClusterPolicy means for the labels of nodes.
public final class NodePolicies {
  /// With a GPUCluster: GPUs are served by claims, and drivers come from NVIDIADrivers.
  public static final NodePolicy OF_GPU_CLUSTER =
      new NodePolicy(
          false,
          SandboxMode.KUBEVIRT,
          WorkloadConfig.CONTAINER,
          false,
          "",
          false,
          DriverDemand.NONE,
          true,
          Optional.empty(),
          true);

  private NodePolicies() {}

  public static NodePolicy of(ClusterPolicySpec spec) {
    var sandbox = spec.sandboxWorkloads();
    return new NodePolicy(
        sandbox.isEnabled(),
        sandbox.modeOrDefault().equals("kata") ? SandboxMode.KATA : SandboxMode.KUBEVIRT,
        WorkloadConfig.parse(sandbox.defaultWorkloadOrDefault()).orElse(WorkloadConfig.CONTAINER),
        spec.migManager().isEnabled(),
        spec.migManager().config().isAbsent()
            ? ""
            : spec.migManager().config().defaultNameOrDefault(),
        spec.driver().isEnabled()
            && Boolean.TRUE.equals(spec.driver().upgradePolicy().autoUpgrade())
            && !sandbox.isEnabled(),
        demand(spec.driver()),
        spec.driver().isLeftToNvidiaDrivers(),
        Optional.empty(),
        false);
  }

  private static DriverDemand demand(DriverSpec driver) {
    return driver.isEnabled() && !driver.isLeftToNvidiaDrivers()
        ? new DriverDemand(
            "ClusterPolicy",
            Objects.requireNonNullElse(driver.version(), ""),
            "open".equals(driver.kernelModuleType()))
        : DriverDemand.NONE;
  }
}
