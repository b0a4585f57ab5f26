package dev.pitcrew.agent.dra.claims;

import java.util.Optional;
import java.util.function.Supplier;

/// The agent's exclusive use of the GPUs while one of them is divided.
public interface GpuTurn {
  /// Runs a change while no other part of the agent changes GPUs.
  ///
  /// @return empty where another change lasts longer than a claim can wait
  <T> Optional<T> take(Supplier<T> change);

  /// Runs a change of the MIG mode while no other part of the agent has NVML open: an open handle
  /// can keep the GPU from changing its mode. Called within [#take].
  <T> T alone(Supplier<T> change);

  /// The GPUs are no longer as they were read last.
  void changed();
}
