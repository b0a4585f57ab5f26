package dev.pitcrew.operator.node;

import static dev.pitcrew.core.names.NodeLabels.DEPLOY_PREFIX;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which `nvidia.com/gpu.deploy.*` labels a GPU node carries for each kind of workload.
public final class LabelSets {
  static final String DRIVER = DEPLOY_PREFIX + "driver";

  /// The value of [#DRIVER] by which a driver container keeps off a node that has its own driver.
  static final String PRE_INSTALLED = "pre-installed";

  /// By which a host driver for virtual GPUs comes to a node.
  static final String HOST_MANAGER = DEPLOY_PREFIX + "vgpu-manager";

  static final String MIG_MANAGER = DEPLOY_PREFIX + "mig-manager";

  private static final Set<String> CONTAINER =
      deploy(
          "driver",
          "gpu-feature-discovery",
          "container-toolkit",
          "device-plugin",
          "dcgm",
          "dcgm-exporter",
          "node-status-exporter",
          "operator-validator",
          "client");

  private static final Set<String> PASSTHROUGH_KUBEVIRT =
      deploy(
          "sandbox-device-plugin",
          "sandbox-validator",
          "vfio-manager",
          "kata-manager",
          "cc-manager",
          "client");

  private static final Set<String> PASSTHROUGH_KATA =
      deploy(
          "kata-sandbox-device-plugin",
          "sandbox-validator",
          "vfio-manager",
          "kata-manager",
          "cc-manager",
          "client");

  private static final Set<String> VGPU =
      deploy(
          "sandbox-device-plugin",
          "vgpu-manager",
          "vgpu-device-manager",
          "sandbox-validator",
          "cc-manager",
          "client");

  /// With a GPUCluster.
  static final Set<String> DRA =
      deploy("driver", "dra-driver", "dra-validator", "dcgm-dra", "dcgm-exporter-dra");

  /// Every deploy label that the operator sets and removes; all others belong to other writers.
  static final Set<String> MANAGED =
      Stream.of(CONTAINER, PASSTHROUGH_KUBEVIRT, PASSTHROUGH_KATA, VGPU, DRA, Set.of(MIG_MANAGER))
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private LabelSets() {}

  /// The label keys of a node with that workload; MIG apart, which depends on the GPU.
  static Set<String> of(WorkloadConfig workload, SandboxMode mode) {
    return switch (workload) {
      case CONTAINER -> CONTAINER;
      case VM_PASSTHROUGH ->
          switch (mode) {
            case KUBEVIRT -> PASSTHROUGH_KUBEVIRT;
            case KATA -> PASSTHROUGH_KATA;
          };
      case VM_VGPU -> VGPU;
    };
  }

  private static Set<String> deploy(String... operands) {
    return Arrays.stream(operands)
        .map(DEPLOY_PREFIX::concat)
        .collect(Collectors.toUnmodifiableSet());
  }
}
