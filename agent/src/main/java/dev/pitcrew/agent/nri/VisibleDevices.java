package dev.pitcrew.agent.nri;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What `NVIDIA_VISIBLE_DEVICES` says.
sealed interface VisibleDevices {
  String VARIABLE = "NVIDIA_VISIBLE_DEVICES";

  /// The container is left as it is.
  record Unchanged() implements VisibleDevices {}

  /// The driver's files and no GPU.
  record None() implements VisibleDevices {}

  record All() implements VisibleDevices {}

  /// @param names each once, in the order in which they were said
  record Listed(List<String> names) implements VisibleDevices {
    public Listed {
      names = List.copyOf(names);
    }
  }

  static VisibleDevices of(Map<String, String> environment) {
    return Optional.ofNullable(environment.get(VARIABLE))
        .map(VisibleDevices::of)
        .orElseGet(() -> isOldImage(environment) ? new All() : new Unchanged());
  }

  static VisibleDevices of(String value) {
    List<String> names = names(value);
    if (names.contains("all")) {
      return new All();
    }
    if (names.equals(List.of("none"))) {
      return new None();
    }
    return names.isEmpty() || names.equals(List.of("void")) ? new Unchanged() : new Listed(names);
  }

  static List<String> names(String commaSeparated) {
    return Arrays.stream(commaSeparated.split(",", -1))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .distinct()
        .toList();
  }

  /// Images of CUDA before the variable was invented mean all GPUs.
  private static boolean isOldImage(Map<String, String> environment) {
    return environment.containsKey("CUDA_VERSION")
        && !environment.containsKey("NVIDIA_REQUIRE_CUDA");
  }
}
