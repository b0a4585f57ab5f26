package dev.pitcrew.agent.settings;

import dev.pitcrew.agent.config.ConfigProblem;
import dev.pitcrew.agent.config.ConfigSources;
import dev.pitcrew.agent.config.Program;
import dev.pitcrew.agent.settings.ConfigChoice.Chosen;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.node.AgentPolicy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What a ClusterPolicy gives to one operand, flags and environment, with the fields that say so.
record OperandInput(
    FlagWords.Parsed flags,
    Map<String, Variable> variables,
    String section,
    List<SettingError> ignored) {

  static OperandInput to(Program program, AgentPolicy policy, Set<String> modules) {
    return switch (program) {
      case PLUGIN ->
          of(
              program,
              "devicePlugin",
              policy.devicePlugin(),
              OperandEnvironment.plugin(policy, modules));
      case LABELS -> of(program, "gfd", policy.gfd(), OperandEnvironment.labels(policy));
    };
  }

  private static OperandInput of(
      Program program, String section, OperandSpec operand, Map<String, Variable> variables) {
    FlagWords.Parsed flags = FlagWords.parse(program, section, operand.args());
    List<EnvVar> entries = operand.env();
    List<SettingError> ignored =
        Stream.concat(
                flags.ignored().stream(),
                IgnoredSettings.variables(program, section, entries).stream())
            .toList();
    return new OperandInput(flags, variables, section, ignored);
  }

  ConfigSources with(Chosen chosen) {
    Map<String, String> environment =
        variables.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().value()));
    return new ConfigSources(flags.given(), environment, chosen.text());
  }

  /// The value of a variable; empty if it is not set.
  String value(String variable) {
    return variables.containsKey(variable) ? variables.get(variable).value() : "";
  }

  /// What the parser calls by flag, variable or key, by the field that a user can change.
  SettingError located(ConfigProblem problem, Chosen chosen) {
    return new SettingError(field(problem.key(), chosen), problem.value(), problem.remedy());
  }

  private String field(String key, Chosen chosen) {
    if (key.startsWith("--")) {
      return "ClusterPolicy spec.%s.args[%s]".formatted(section, key);
    }
    if (variables.containsKey(key)) {
      return variables.get(key).field();
    }
    return key.equals(ConfigProblem.WHOLE_FILE) ? chosen.place() : chosen.place() + ": " + key;
  }
}
