package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.TimeSlice;
import java.util.List;

/// Lets the processes of several containers share GPUs. What it changes belongs to the claims that
/// asked for it; the caller resets a GPU only for the last of them.
public interface SharingStep {
  sealed interface Result {
    record Done() implements Result {}

    /// @param reason names the GPU and the cause; another try may succeed
    record Failed(String reason) implements Result {}

    /// @param reason names what is missing; another try does not succeed
    record NotSupported(String reason) implements Result {}
  }

  /// Sets the time slice of GPUs, by UUID, and the compute mode that it needs.
  Result timeSlice(List<String> gpus, TimeSlice interval);

  /// Sets the default time slice and compute mode of GPUs, by UUID.
  Result reset(List<String> gpus);

  /// For nodes on which no claim may set a time slice.
  record None() implements SharingStep {
    private static final Result NOT_SUPPORTED =
        new Result.NotSupported(
            "time slicing by claims is not supported yet: the feature gate TimeSlicingSettings of this node is off");

    @Override
    public Result timeSlice(List<String> gpus, TimeSlice interval) {
      return NOT_SUPPORTED;
    }

    @Override
    public Result reset(List<String> gpus) {
      return NOT_SUPPORTED;
    }
  }
}
