package dev.pitcrew.agent.config;

import java.util.ArrayList;
import java.util.List;

/// What is found wrong or without effect while one configuration is read, so that a user sees all
/// of it at once.
final class Findings {
  private final List<ConfigProblem> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();

  void problem(String key, String value, String remedy) {
    problem(new ConfigProblem(key, value, remedy));
  }

  void problem(ConfigProblem problem) {
    if (!problems.contains(problem)) {
      problems.add(problem);
    }
  }

  void warn(String warning) {
    warnings.add(warning);
  }

  List<ConfigProblem> problems() {
    return List.copyOf(problems);
  }

  List<String> warnings() {
    return List.copyOf(warnings);
  }
}
