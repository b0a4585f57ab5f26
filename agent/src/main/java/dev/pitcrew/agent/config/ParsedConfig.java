package dev.pitcrew.agent.config;

import java.util.List;

/// What became of a configuration.
public sealed interface ParsedConfig {

  /// @param warnings what was said without effect, one line each
  record Accepted(AgentConfig config, List<String> warnings) implements ParsedConfig {
    public Accepted {
      warnings = List.copyOf(warnings);
    }
  }

  /// @param problems at least one
  record Rejected(List<ConfigProblem> problems) implements ParsedConfig {
    public Rejected {
      problems = List.copyOf(problems);
    }
  }
}
