package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.cdi.ContainerEdits;
import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.ForVfioDevice;
import dev.pitcrew.agent.dra.claims.plan.PreparedClaim.GivenGpu;
import dev.pitcrew.device.dra.ClaimDevice.Passthrough;
import java.util.Optional;

/// Gives GPUs to virtual machines and withdraws them. What it changes is in the checkpoint before
/// it does.
public interface PassthroughStep {
  /// Before anything changes.
  ///
  /// @param isGiven whether the claim has been given the GPU before
  /// @return why the GPU cannot be given, with what to do
  Optional<String> refusal(Passthrough device, boolean isGiven);

  /// Takes the GPU from the driver of containers. A GPU that is given already stays so.
  ///
  /// @return why it is not given; then [#withdraw] is still to be called
  Optional<String> give(Passthrough device);

  /// Hands the GPU to the driver of containers again. One that neither has a driver nor one for
  /// virtual machines was not given, and stays as it is.
  ///
  /// @return why it is not back
  Optional<String> withdraw(GivenGpu given);

  /// What the container of a virtual machine gets with a GPU that was given.
  ContainerEdits edits(Passthrough device, ForVfioDevice settings);

  /// What it gets with any of them.
  ContainerEdits shared(ForVfioDevice settings);

  /// The claims of the checkpoint are no longer those of the last call.
  void changed();
}
