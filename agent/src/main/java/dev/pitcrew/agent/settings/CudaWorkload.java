package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.settings.SettingsProblem.Consequence;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.clusterpolicy.ValidatorSpec;
import dev.pitcrew.core.text.GoText;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Whether a workload is to prove that CUDA works, by the variable WITH_WORKLOAD of the validator's
/// part `cuda`. As with the flag `--with-workload` of NVIDIA's validator, the default is true, and
/// an empty text is false.
final class CudaWorkload {
  private static final String VARIABLE = "WITH_WORKLOAD";

  private CudaWorkload() {}

  static boolean isWanted(ValidatorSpec validator) {
    return said(validator)
        .map(text -> !text.isEmpty() && GoText.bool(text).orElse(true))
        .orElse(true);
  }

  /// What is said and has no effect.
  static List<SettingsProblem> problems(ValidatorSpec validator) {
    return said(validator)
        .filter(text -> !text.isEmpty() && GoText.bool(text).isEmpty())
        .map(text ->
            SettingError.inPolicy(
                    "validator.cuda.env[%s]".formatted(VARIABLE),
                    text,
                    "must be true or false; the GPUs are checked")
                .with(new Consequence.NoEffect(), Set.of(NodeFunction.VALIDATION)))
        .stream()
        .toList();
  }

  /// The last of several values counts.
  private static Optional<String> said(ValidatorSpec validator) {
    return validator.cuda().env().stream()
        .filter(it -> it.name().equals(VARIABLE))
        .map(EnvVar::valueOrDefault)
        .reduce((_, last) -> last);
  }
}
