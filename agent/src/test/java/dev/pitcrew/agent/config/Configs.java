package dev.pitcrew.agent.config;

import java.util.List;
import java.util.Map;

/// Short forms for tests: a configuration from a few flags, variables and a file.
public final class Configs {
  private Configs() {}

  /// The configuration of a file for the program that makes labels.
  public static AgentConfig labels(String file) {
    return accepted(ConfigParser.parse(Program.LABELS, sources(Map.of(), Map.of(), file))).config();
  }

  static ParsedConfig.Accepted accepted(ParsedConfig parsed) {
    return switch (parsed) {
      case ParsedConfig.Accepted accepted -> accepted;
      case ParsedConfig.Rejected(var problems) -> throw new AssertionError(problems);
    };
  }

  static List<String> problems(ParsedConfig parsed) {
    return switch (parsed) {
      case ParsedConfig.Accepted(_, _) -> List.of();
      case ParsedConfig.Rejected(var problems) ->
          problems.stream().map(ConfigProblem::message).toList();
    };
  }

  static ConfigSources sources(
      Map<String, List<String>> flags, Map<String, String> environment, String file) {
    return new ConfigSources(flags, environment, file);
  }

  static AgentConfig plugin(Map<String, List<String>> flags, Map<String, String> environment) {
    return accepted(ConfigParser.parse(Program.PLUGIN, sources(flags, environment, ""))).config();
  }

  static ParsedConfig pluginFile(String file) {
    return ConfigParser.parse(Program.PLUGIN, sources(Map.of(), Map.of(), file));
  }

  static List<String> pluginProblems(
      Map<String, List<String>> flags, Map<String, String> environment, String file) {
    return problems(ConfigParser.parse(Program.PLUGIN, sources(flags, environment, file)));
  }
}
