package dev.pitcrew.agent.mig.config;

import dev.pitcrew.agent.mig.config.Hooks.Command;
import dev.pitcrew.agent.mig.config.MigConfigProblem.Fault;
import dev.pitcrew.agent.mig.config.VersionOne.Read;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Reads hooks files of version v1.
public final class HooksParser {
  private HooksParser() {}

  public static Hooks parse(String text) {
    return switch (VersionOne.<Map<String, List<Command>>>read(
        text, "hooks", Map.of(), HooksParser::hooks)) {
      case Read.Content<Map<String, List<Command>>>(var commands) -> new Hooks.Named(commands);
      case Read.Rejected<Map<String, List<Command>>>(var problem) -> new Hooks.Rejected(problem);
    };
  }

  /// The file is not there, or cannot be read.
  public static Hooks unreadable(IOException failure) {
    return new Hooks.Rejected(
        new MigConfigProblem(Fault.NO_YAML, 1, 1, "", "read error: " + failure.getMessage()));
  }

  private static Map<String, List<Command>> hooks(Place section) throws Refusal {
    var hooks = new LinkedHashMap<String, List<Command>>();
    for (var hook : section.fields().entrySet()) {
      var commands = new ArrayList<Command>();
      for (Place command : hook.getValue().elements()) {
        commands.add(command(command));
      }
      hooks.put(hook.getKey(), List.copyOf(commands));
    }
    return hooks;
  }

  private static Command command(Place place) throws Refusal {
    String program = "";
    String folder = "";
    var arguments = new ArrayList<String>();
    var environment = new LinkedHashMap<String, String>();
    for (var field : place.fields().entrySet()) {
      Place value = field.getValue();
      switch (field.getKey()) {
        case "command" -> program = value.text();
        case "workdir" -> folder = value.text();
        case "args" -> {
          for (Place argument : value.elements()) {
            arguments.add(argument.text());
          }
        }
        case "envs" -> {
          for (var variable : value.fields().entrySet()) {
            environment.put(variable.getKey(), variable.getValue().text());
          }
        }
        default ->
            throw value.refusal(Fault.UNEXPECTED_FIELD, "unexpected field: " + field.getKey());
      }
    }
    if (program.isEmpty()) {
      throw place.refusal(Fault.MISSING_FIELD, "missing required field: command");
    }
    return new Command(program, arguments, environment, folder);
  }
}
