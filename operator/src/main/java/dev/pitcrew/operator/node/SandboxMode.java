package dev.pitcrew.operator.node;

/// Who runs the virtual machines that GPUs are passed through to: `sandboxWorkloads.mode` of the
/// ClusterPolicy.
public enum SandboxMode {
  KUBEVIRT,
  KATA
}
