package dev.pitcrew.agent.settings;

import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.clusterpolicy.ValidatorSpec;
import dev.pitcrew.core.text.GoText;
import java.util.List;

/// Whether a workload is to prove that CUDA works: only where the variable WITH_WORKLOAD of the
/// validator's part `cuda` asks for it. The reference does it unless told otherwise, in a pod of
/// its own; the driver's libraries would take more memory than an agent's container has by default.
final class CudaWorkload {
  private static final String VARIABLE = "WITH_WORKLOAD";

  private CudaWorkload() {}

  /// The last of several values counts.
  static boolean isWanted(ValidatorSpec validator) {
    List<EnvVar> said =
        validator.cuda().env().stream().filter(it -> it.name().equals(VARIABLE)).toList();
    return !said.isEmpty() && GoText.bool(said.getLast().valueOrDefault()).orElse(false);
  }
}
