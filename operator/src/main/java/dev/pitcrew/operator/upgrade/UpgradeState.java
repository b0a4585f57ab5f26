package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.node.RolloutPhase;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Where a node is on its way to a new driver: the values of the node label
/// `nvidia.com/gpu-driver-upgrade-state`, as users of the NVIDIA GPU Operator know them.
public enum UpgradeState {
  UNKNOWN("", RolloutPhase.IDLE),
  UPGRADE_REQUIRED("upgrade-required", RolloutPhase.PENDING),
  CORDON_REQUIRED("cordon-required", RolloutPhase.CORDON),
  WAIT_FOR_JOBS_REQUIRED("wait-for-jobs-required", RolloutPhase.WAIT_FOR_JOBS),
  POD_DELETION_REQUIRED("pod-deletion-required", RolloutPhase.DELETE_PODS),
  DRAIN_REQUIRED("drain-required", RolloutPhase.DRAIN),
  POD_RESTART_REQUIRED("pod-restart-required", RolloutPhase.RESTART_DRIVER),
  VALIDATION_REQUIRED("validation-required", RolloutPhase.VALIDATE),
  UNCORDON_REQUIRED("uncordon-required", RolloutPhase.UNCORDON),
  DONE("upgrade-done", RolloutPhase.DONE),
  FAILED("upgrade-failed", RolloutPhase.FAILED);

  private final String label;
  private final RolloutPhase phase;

  UpgradeState(String label, RolloutPhase phase) {
    this.label = label;
    this.phase = phase;
  }

  /// The value of the label; empty for a node without it.
  public String label() {
    return label;
  }

  /// The same in the words of a GPUNode.
  public RolloutPhase phase() {
    return phase;
  }

  /// Reads the label. One that is absent or unknown says nothing of the node.
  public static UpgradeState of(@Nullable String label) {
    return Arrays.stream(values())
        .filter(state -> state.label.equals(label))
        .findFirst()
        .orElse(UNKNOWN);
  }

  /// Whether the node is being worked on: begun, and neither done nor failed.
  public boolean isUnderWay() {
    return switch (this) {
      case UNKNOWN, UPGRADE_REQUIRED, DONE, FAILED -> false;
      case CORDON_REQUIRED,
          WAIT_FOR_JOBS_REQUIRED,
          POD_DELETION_REQUIRED,
          DRAIN_REQUIRED,
          POD_RESTART_REQUIRED,
          VALIDATION_REQUIRED,
          UNCORDON_REQUIRED ->
          true;
    };
  }

  /// Whether pods of the node may still have to leave.
  public boolean isEmptied() {
    return switch (this) {
      case WAIT_FOR_JOBS_REQUIRED, POD_DELETION_REQUIRED, DRAIN_REQUIRED, POD_RESTART_REQUIRED ->
          true;
      case UNKNOWN,
          UPGRADE_REQUIRED,
          CORDON_REQUIRED,
          VALIDATION_REQUIRED,
          UNCORDON_REQUIRED,
          DONE,
          FAILED ->
          false;
    };
  }

  /// Whether the node has to be kept free of new pods.
  public boolean isCordoned() {
    return isUnderWay() && this != UNCORDON_REQUIRED;
  }
}
