package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.TimeSlice;
import java.util.List;
import java.util.Optional;

/// Lets the processes of several containers share GPUs. What it changes belongs to the claims that
/// asked for it; the caller resets a GPU only for the last of them.
public interface SharingStep {
  sealed interface Result {
    /// Why it was not done.
    default Optional<String> problem() {
      return switch (this) {
        case Done() -> Optional.empty();
        case Failed(var reason) -> Optional.of(reason);
        case NotSupported(var reason) -> Optional.of(reason);
      };
    }

    /// Why a setting may still be there.
    default Optional<String> left() {
      return this instanceof Failed(var reason) ? Optional.of(reason) : Optional.empty();
    }

    record Done() implements Result {}

    /// @param reason names the GPU and the cause; another try may succeed
    record Failed(String reason) implements Result {}

    /// @param reason names what the node does not have: without it no GPU has any setting either
    record NotSupported(String reason) implements Result {}
  }

  /// Sets the time slice of GPUs, by UUID, and the compute mode that it needs.
  Result timeSlice(List<String> gpus, TimeSlice interval);

  /// Lets one process use each of these GPUs, by UUID: the MPS server, through which others do.
  Result exclusive(List<String> gpus);

  /// Lets any process use these GPUs again, by UUID.
  Result notExclusive(List<String> gpus);

  /// Sets the default time slice and compute mode of GPUs, by UUID.
  Result reset(List<String> gpus);
}
