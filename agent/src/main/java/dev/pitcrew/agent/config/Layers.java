package dev.pitcrew.agent.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Who says what, the strongest first: flag, variable, file, default.
final class Layers {
  private final Program program;
  private final ConfigSources sources;
  private final Map<String, List<String>> file;
  private final Findings findings;

  /// @param file the values of the configuration file by their path
  Layers(
      Program program, ConfigSources sources, Map<String, List<String>> file, Findings findings) {
    this.program = program;
    this.sources = sources;
    this.file = file;
    this.findings = findings;
  }

  /// A value where it was said.
  record Said(String where, List<String> texts) {}

  /// The value that wins; where it is not valid a problem is noted and the default taken.
  <T> T value(Setting<T> setting) {
    return said(setting)
        .map(said -> parsed(setting, said).orElseGet(setting::defaultValue))
        .orElseGet(setting::defaultValue);
  }

  /// Where a setting that is not the default comes from.
  Optional<Said> said(Setting<?> setting) {
    Optional<Said> given = Optional.empty();
    if (setting.flag().isFor(program)) {
      given = flag(setting).or(() -> variable(setting));
    }
    return given.or(() -> inFile(setting));
  }

  private <T> Optional<T> parsed(Setting<T> setting, Said said) {
    Optional<T> value = setting.kind().parse().apply(said.texts());
    if (value.isEmpty()) {
      invalid(setting, said);
    }
    return value;
  }

  /// What only another program uses does not stop this one: the file is shared.
  private void invalid(Setting<?> setting, Said said) {
    var problem =
        new ConfigProblem(
            said.where(), String.join(",", said.texts()), "give " + setting.kind().valid());
    if (setting.flag().isFor(program)) {
      findings.problem(problem);
    } else {
      findings.warn(problem.message());
    }
  }

  private Optional<Said> flag(Setting<?> setting) {
    List<String> given =
        setting.flag().spellings().stream().filter(sources.flags()::containsKey).toList();
    if (given.size() > 1) {
      String both = "--%s and --%s".formatted(given.get(0), given.get(1));
      findings.problem(both, "", "these are one flag; give only one of them");
    }
    return given.stream().findFirst().map(spelling -> flag(setting, spelling));
  }

  private Said flag(Setting<?> setting, String spelling) {
    List<String> texts =
        sources.flags().getOrDefault(spelling, List.of()).stream()
            .flatMap(text -> setting.kind().shape().split(text).stream())
            .toList();
    return new Said("--" + spelling, texts);
  }

  private Optional<Said> variable(Setting<?> setting) {
    return setting.flag().environment(program).stream()
        .filter(sources.environment()::containsKey)
        .findFirst()
        .flatMap(name -> variable(setting, name));
  }

  private Optional<Said> variable(Setting<?> setting, String name) {
    String text = sources.environment().getOrDefault(name, "");
    return setting.kind().shape().fromVariable(text).map(texts -> new Said(name, texts));
  }

  private Optional<Said> inFile(Setting<?> setting) {
    String key = setting.flag().fileKey();
    return Optional.ofNullable(file.get(key)).map(texts -> new Said(key, texts));
  }
}
