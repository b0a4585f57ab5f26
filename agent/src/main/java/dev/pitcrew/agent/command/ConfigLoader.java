package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.AgentConfig;
import dev.pitcrew.agent.config.ConfigParser;
import dev.pitcrew.agent.config.ConfigProblem;
import dev.pitcrew.agent.config.ConfigSources;
import dev.pitcrew.agent.config.ParsedConfig;
import dev.pitcrew.agent.config.Program;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.ParseResult;

/// The configuration of one command, with its file read. Problems are reported on standard error,
/// one line each.
public final class ConfigLoader {
  private final Program program;
  private final Map<String, String> environment;

  public ConfigLoader(Program program, Map<String, String> environment) {
    this.program = program;
    this.environment = environment;
  }

  /// Empty where the configuration cannot be used.
  public Optional<AgentConfig> load(ParseResult parsed, PrintWriter errors) {
    return switch (parsed(parsed)) {
      case ParsedConfig.Accepted(var config, var warnings) -> {
        warnings.forEach(warning -> errors.println("warning: " + warning));
        yield Optional.of(config);
      }
      case ParsedConfig.Rejected(var problems) -> {
        problems.forEach(problem -> errors.println(problem.message()));
        yield Optional.empty();
      }
    };
  }

  private ParsedConfig parsed(ParseResult parsed) {
    var sources = new ConfigSources(ReferenceFlags.given(parsed), environment, "");
    Optional<String> file = ConfigParser.filePath(program, sources);
    try {
      String text = file.isPresent() ? Files.readString(Path.of(file.get())) : "";
      return ConfigParser.parse(program, sources.withFile(text));
    } catch (IOException failure) {
      var problem =
          new ConfigProblem(
              "--config-file", file.orElse(""), "it cannot be read (%s)".formatted(failure));
      return new ParsedConfig.Rejected(List.of(problem));
    }
  }
}
