package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim.GivenGpu;
import dev.pitcrew.device.dra.ClaimDevice.Passthrough;
import java.util.Optional;

/// For nodes whose GPUs are not given to virtual machines.
record NoPassthrough() implements PassthroughStep {
  private static final String NOT_SUPPORTED =
      "GPUs are not given to virtual machines: the feature gate PassthroughSupport of this node is off";

  @Override
  public Optional<String> refusal(Passthrough device, boolean isGiven) {
    return Optional.of(NOT_SUPPORTED);
  }

  @Override
  public Optional<String> give(Passthrough device) {
    return Optional.of(NOT_SUPPORTED);
  }

  @Override
  public Optional<String> withdraw(GivenGpu given) {
    return Optional.of(NOT_SUPPORTED);
  }

  @Override
  public ContainerEdits edits(Passthrough device, ForVfioDevice settings) {
    return ContainerEdits.NONE;
  }

  @Override
  public ContainerEdits shared(ForVfioDevice settings) {
    return ContainerEdits.NONE;
  }

  @Override
  public void changed() {
    // No device depends on the claims.
  }
}
