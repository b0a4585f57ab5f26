package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.config.Flag;
import dev.pitcrew.agent.config.FlagTable;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.api.EnvVar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// Settings of an operand that the agent ignores.
final class IgnoredSettings {
  static final String DISABLED_HEALTH_CHECKS = "DP_DISABLE_HEALTHCHECKS";
  static final String ENABLED_HEALTH_CHECKS = "DP_ENABLE_HEALTHCHECKS";

  private static final String OWN_ACCOUNT =
      "the agent talks to the API server for the whole node in its own way; remove it";

  /// Flags that the agent takes over from the operand but has no use for, and why.
  private static final Map<String, String> FLAGS =
      Map.of(
          "config-file",
          "the agent reads the ConfigMap that ClusterPolicy spec.devicePlugin.config.name names;"
              + " give it there",
          "oneshot",
          "the agent keeps labels right all the time; remove it",
          "output-file",
          "the agent writes labels to the Node itself; remove it",
          "kubeconfig",
          OWN_ACCOUNT,
          "kube-api-qps",
          OWN_ACCOUNT,
          "kube-api-burst",
          OWN_ACCOUNT,
          "namespace",
          OWN_ACCOUNT,
          "node-name",
          OWN_ACCOUNT,
          "pod-name",
          OWN_ACCOUNT);

  /// Variables that say how the operand's own container sees GPUs, which the agent's sees anyway.
  private static final Set<String> OF_THE_CONTAINER =
      Set.of(
          "NVIDIA_VISIBLE_DEVICES",
          "NVIDIA_DRIVER_CAPABILITIES",
          "NVIDIA_MIG_MONITOR_DEVICES",
          "CDI_ENABLED");

  /// Such a value takes no GPU away.
  private static final Set<String> NO_LIMIT = Set.of("", "all", "true", "void");

  private IgnoredSettings() {}

  /// The remedy, where a flag with this value asks for what the agent does not do.
  static Optional<String> flag(Flag flag, String value) {
    boolean asksForNothing = value.isEmpty() || value.equals("false");
    return asksForNothing ? Optional.empty() : Optional.ofNullable(FLAGS.get(flag.name()));
  }

  static List<SettingError> variables(Program program, String section, List<EnvVar> entries) {
    return entries.stream().flatMap(entry -> variable(program, section, entry).stream()).toList();
  }

  private static Optional<SettingError> variable(Program program, String section, EnvVar entry) {
    String path = "%s.env[%s]".formatted(section, entry.name());
    if (!OperandEnvironment.isLiteral(entry)) {
      return Optional.of(
          SettingError.inPolicy(
              path, "valueFrom", "the agent takes literal values only; give the value itself"));
    }
    String value = entry.valueOrDefault();
    return remedy(program, entry.name(), value)
        .map(remedy -> SettingError.inPolicy(path, value, remedy));
  }

  private static Optional<String> remedy(Program program, String name, String value) {
    if (OF_THE_CONTAINER.contains(name)) {
      return name.equals("NVIDIA_VISIBLE_DEVICES") && !NO_LIMIT.contains(value)
          ? Optional.of("the agent offers all GPUs of the node; remove it")
          : Optional.empty();
    }
    if (program == Program.PLUGIN && isHealthCheck(name)) {
      return Optional.empty();
    }
    Optional<Flag> flag =
        FlagTable.of(program).stream()
            .filter(known -> known.environment(program).contains(name))
            .findFirst();
    return flag.isPresent()
        ? flag(flag.get(), value)
        : Optional.of("the agent has no such variable; remove it");
  }

  private static boolean isHealthCheck(String name) {
    return Stream.of(DISABLED_HEALTH_CHECKS, ENABLED_HEALTH_CHECKS).anyMatch(name::equals);
  }
}
