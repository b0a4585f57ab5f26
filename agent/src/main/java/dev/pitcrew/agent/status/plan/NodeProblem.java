package dev.pitcrew.agent.status.plan;

import dev.pitcrew.agent.config.ConfigProblem;

/// Something that keeps the node from being as it was configured.
///
/// @param message names what is wrong and the remedy
public record NodeProblem(Cause cause, String message) {

  /// What sort of thing, the worst first.
  public enum Cause {
    /// The kubelet does not take what it is offered, so that no pod gets a GPU.
    KUBELET_UNREACHABLE("KubeletUnreachable", true),
    /// The devices of a resource that is shared by MPS wait for its control daemon.
    MPS_NOT_RUNNING("MPSNotRunning", true),
    /// Containers that are given GPUs by their CDI names do not start.
    CDI_HOOK_CANNOT_RUN("CDIHookCannotRun", true),
    /// The kubelet cannot have claims prepared that are allocated GPUs of this node.
    CLAIMS_NOT_SERVED("ClaimsNotServed", true),
    /// Claims get whole GPUs only, since the API server does not keep what partitions share.
    PARTITIONS_NOT_OFFERED("PartitionsNotOffered", false),
    /// Each device is for one claim, since the API server does not keep that claims share it.
    SHARES_NOT_OFFERED("SharesNotOffered", false),
    /// Claims cannot give GPUs to virtual machines.
    PASSTHROUGH_NOT_OFFERED("PassthroughNotOffered", false),
    DISK_FULL("DiskFull", false),
    FILE_NOT_WRITTEN("FileNotWritten", false),
    /// No container could be started with a device, so the kubelet is not offered it.
    DEVICE_LEFT_OUT("DeviceLeftOut", false),
    /// What was configured last is not used; what was valid before still is.
    CONFIGURATION_INVALID("ConfigurationInvalid", false);

    private final String reason;
    private final boolean isFatal;

    Cause(String reason, boolean isFatal) {
      this.reason = reason;
      this.isFatal = isFatal;
    }

    /// As conditions and Events name it.
    public String reason() {
      return reason;
    }

    /// Whether no pod can get a GPU while it lasts.
    public boolean isFatal() {
      return isFatal;
    }
  }

  public static NodeProblem of(ConfigProblem problem) {
    return new NodeProblem(Cause.CONFIGURATION_INVALID, problem.message());
  }
}
