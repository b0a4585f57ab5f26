package dev.pitcrew.operator.operand.dra;

import dev.pitcrew.api.gpucluster.GpuClusterSpec;
import dev.pitcrew.operator.cluster.ClusterFacts;
import dev.pitcrew.operator.render.CommonSettings;
import dev.pitcrew.operator.render.DaemonSetDraft;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Images.Source;
import dev.pitcrew.operator.render.Problem;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Objects;
import java.util.Optional;

/// All that the operands of a GPUCluster are rendered from.
///
/// @param isDomainController whether the operator is the controller of ComputeDomains, so that
///   NVIDIA's must not run
public record DraContext(
    GpuClusterSpec spec, ClusterFacts facts, Images images, boolean isDomainController) {
  static final String CRITICAL = "system-node-critical";
  private static final String VALIDATOR_VARIABLE = "VALIDATOR_IMAGE";

  /// One with NVIDIA's controller of ComputeDomains.
  public DraContext(GpuClusterSpec spec, ClusterFacts facts, Images images) {
    this(spec, facts, images, false);
  }

  String namespace() {
    return facts.namespace();
  }

  Source driverImage() {
    return new Source("spec.draDriver", spec.draDriver(), "DRA_DRIVER_IMAGE");
  }

  Source dcgmImage() {
    return new Source("spec.dcgm", spec.dcgm(), "DCGM_IMAGE");
  }

  Source exporterImage() {
    return new Source("spec.dcgmExporter", spec.dcgmExporter(), "DCGM_EXPORTER_IMAGE");
  }

  /// The image of validators, which a GPUCluster cannot name.
  String validatorImage() {
    return Objects.requireNonNullElse(images.environment().get(VALIDATOR_VARIABLE), "");
  }

  Optional<Problem> validatorProblem() {
    return validatorImage().isEmpty()
        ? Optional.of(
            new Problem(
                "ImageInvalid",
                "the operator has no image for validators: set "
                    + VALIDATOR_VARIABLE
                    + " in its environment, as the chart does"))
        : Optional.empty();
  }

  String driverDirectory() {
    String given = Objects.requireNonNullElse(spec.hostPaths().driverInstallDir(), "");
    return given.isEmpty() ? CommonSettings.DRIVER_DIRECTORY : given;
  }

  String kubeletDirectory() {
    String given = Objects.requireNonNullElse(spec.hostPaths().kubeletRootDir(), "");
    return given.isEmpty() ? "/var/lib/kubelet" : given;
  }

  /// The priority class of the driver and of its controller.
  String priorityClass() {
    String given = Objects.requireNonNullElse(spec.daemonsets().priorityClassName(), "");
    return given.isEmpty() ? CRITICAL : given;
  }

  /// Whether a feature of the DRA driver is switched on.
  boolean isOn(String featureGate) {
    return Boolean.TRUE.equals(spec.draDriver().featureGates().get(featureGate));
  }

  DaemonSet finish(DaemonSetDraft draft) {
    draft.tolerations(CommonSettings.tolerations(spec.daemonsets()));
    return CommonSettings.finish(draft, spec.daemonsets(), facts);
  }
}
