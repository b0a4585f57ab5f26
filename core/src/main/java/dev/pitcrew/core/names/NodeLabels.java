package dev.pitcrew.core.names;

/// Labels and annotations of Nodes, written by us, by feature discovery or by users.
public final class NodeLabels {
  /// `true` on nodes with an NVIDIA GPU; `false` once the GPU has gone.
  public static final String GPU_PRESENT = "nvidia.com/gpu.present";

  /// `true` on nodes on which the GPU detector has found an NVIDIA GPU, until feature discovery
  /// says so too.
  public static final String GPU_DETECTED = "pitcrew.dev/gpu-detected";

  /// Prefix of the labels that DaemonSets of operands select on.
  public static final String DEPLOY_PREFIX = "nvidia.com/gpu.deploy.";

  /// The value of a label of an operand, in the place of `true`, while nodes change one by one
  /// between the operand and the agent, and the agent is the one that provides on this node.
  public static final String PROVIDED_BY_AGENT = "provided-by-agent";

  /// Set to `false` by a user to keep every operand off a node.
  public static final String DEPLOY_OPERANDS = DEPLOY_PREFIX + "operands";

  public static final String WORKLOAD_CONFIG = "nvidia.com/gpu.workload.config";
  public static final String GPU_PRODUCT = "nvidia.com/gpu.product";

  /// Generation of the GPUs, in small letters.
  public static final String GPU_FAMILY = "nvidia.com/gpu.family";

  /// Set to `host` or `pitcrew` by a user who knows better who brings the driver.
  public static final String OWNER_OF_DRIVER = "pitcrew.dev/owner.driver";

  /// The UID of the ComputeDomain whose containers run on a node: the IMEX daemon of the domain
  /// selects on it.
  public static final String COMPUTE_DOMAIN = "resource.nvidia.com/computeDomain";

  public static final String MIG_CAPABLE = "nvidia.com/mig.capable";
  public static final String MIG_CONFIG = "nvidia.com/mig.config";

  /// How far that layout is: `pending`, `rebooting`, `success` or `failed`.
  public static final String MIG_CONFIG_STATE = "nvidia.com/mig.config.state";

  public static final String MPS_CAPABLE = "nvidia.com/mps.capable";
  public static final String VGPU_HOST_DRIVER_VERSION = "nvidia.com/vgpu.host-driver-version";
  public static final String DRIVER_OWNER = "nvidia.com/gpu-operator.driver.owner";
  public static final String UPGRADE_STATE = "nvidia.com/gpu-driver-upgrade-state";
  public static final String UPGRADE_SKIP = "nvidia.com/gpu-driver-upgrade.skip";

  /// Annotation, set to `true` by a user who asks for an upgrade of the node whatever its driver
  /// is.
  public static final String UPGRADE_REQUESTED = "nvidia.com/gpu-driver-upgrade-requested";

  /// Annotation that the driver manager reads on the node.
  public static final String AUTO_UPGRADE = "nvidia.com/gpu-driver-upgrade-enabled";

  /// Annotation by which the driver manager says what it waits for, once that takes longer.
  public static final String DRIVER_MANAGER_WAITS = "pitcrew.dev/driver-manager-waits-for";

  public static final String FEATURE_PREFIX = "feature.node.kubernetes.io/";
  public static final String OS_ID = FEATURE_PREFIX + "system-os_release.ID";
  public static final String OS_VERSION_ID = FEATURE_PREFIX + "system-os_release.VERSION_ID";
  public static final String OS_MAJOR_VERSION = OS_VERSION_ID + ".major";
  public static final String OSTREE_VERSION = FEATURE_PREFIX + "system-os_release.OSTREE_VERSION";
  public static final String KERNEL_VERSION = FEATURE_PREFIX + "kernel-version.full";

  private NodeLabels() {}
}
