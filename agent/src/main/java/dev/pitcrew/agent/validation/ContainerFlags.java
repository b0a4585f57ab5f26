package dev.pitcrew.agent.validation;

import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// What a driver container reports in the folder of the validations: in `.driver-ctr-ready` which
/// further modules it brings, and in `.driver-daemons-status` whether its daemons are up.
///
/// @param enabled the names that are true, such as `GDS_ENABLED`; empty where it says nothing
/// @param daemons such as `Ready`; empty where it says nothing
public record ContainerFlags(Optional<Set<String>> enabled, Optional<String> daemons) {
  static final String READY_FILE = ".driver-ctr-ready";
  static final String DAEMONS_FILE = ".driver-daemons-status";
  static final ContainerFlags NOTHING = new ContainerFlags(Optional.empty(), Optional.empty());

  private static final String READY = "Ready";

  public ContainerFlags {
    enabled = enabled.map(Set::copyOf);
  }

  static ContainerFlags of(Optional<String> readyFile, Optional<String> daemonsFile) {
    return new ContainerFlags(
        readyFile.map(ContainerFlags::enabled), daemonsFile.map(String::strip));
  }

  /// Lines such as `GDS_ENABLED: true`; what is no such line says nothing.
  private static Set<String> enabled(String text) {
    return text.lines()
        .map(line -> line.split(":", 2))
        .filter(words -> words.length == 2)
        .filter(words -> words[1].strip().toLowerCase(Locale.ROOT).equals("true"))
        .map(words -> words[0].strip())
        .collect(Collectors.toUnmodifiableSet());
  }

  /// Whether a part of the driver is there, by the container's word, else by the policy's.
  boolean isEnabled(String name, boolean byPolicy) {
    return enabled.map(names -> names.contains(name)).orElse(byPolicy);
  }

  /// What the daemons say instead of being ready.
  Optional<String> problem() {
    return daemons.filter(status -> !status.equals(READY));
  }
}
