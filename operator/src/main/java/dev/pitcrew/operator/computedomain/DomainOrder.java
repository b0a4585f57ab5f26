package dev.pitcrew.operator.computedomain;

import dev.pitcrew.api.node.FleetComputeDomainsSpec;
import dev.pitcrew.operator.render.Images;
import dev.pitcrew.operator.render.Problem;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// What the FleetPolicy says about the controller of ComputeDomains.
///
/// @param isOn whether the operator is that controller
/// @param image of the daemons; empty where none is set
public record DomainOrder(boolean isOn, String image, List<String> pullSecrets) {
  public static final DomainOrder OFF = new DomainOrder(false, "", List.of());

  private static final String FIELD = "FleetPolicy spec.dra.computeDomains.daemonImage";

  /// Where the chart or an administrator says which image the DRA driver of a GPUCluster has.
  private static final String VARIABLE = "DRA_DRIVER_IMAGE";

  public DomainOrder {
    pullSecrets = List.copyOf(pullSecrets);
  }

  public static DomainOrder of(FleetComputeDomainsSpec spec, Images images) {
    String given = Objects.requireNonNullElse(spec.daemonImage(), "");
    return spec.hasController()
        ? new DomainOrder(
            true,
            given.isEmpty() ? images.environment().getOrDefault(VARIABLE, "") : given,
            spec.imagePullSecrets())
        : OFF;
  }

  /// Why no daemon can be started.
  public Optional<Problem> problem() {
    return image.isEmpty()
        ? Optional.of(
            Problem.of(
                "DaemonImageMissing",
                FIELD,
                "",
                "give the image of NVIDIA's DRA driver, such as nvcr.io/nvidia/dra-driver-nvidia-gpu:v0.5.0"))
        : Images.misspelt(FIELD, image);
  }
}
