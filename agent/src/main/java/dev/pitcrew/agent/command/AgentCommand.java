package dev.pitcrew.agent.command;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/// Explains the agent, and reads command lines that are not plain.
@Command(
    name = AgentArguments.COMMAND,
    sortOptions = false,
    description = {
      "Provides the functions of a GPU node, as the operator configures them, until it is stopped.",
      "It is what the operator's DaemonSet runs; a second one on the same node waits for the first."
    })
final class AgentCommand implements Callable<Integer> {
  private final Surroundings surroundings;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = AgentArguments.CLEAR,
      description =
          "Only take away what the agent wrote about GPUs that this node no longer has, and end.")
  boolean clears;

  private AgentCommand(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  static CommandLine in(Surroundings surroundings) {
    var command = new CommandLine(new AgentCommand(surroundings));
    for (AgentFlag flag : AgentFlag.values()) {
      command
          .getCommandSpec()
          .addOption(
              OptionSpec.builder(flag.option())
                  .type(String.class)
                  .paramLabel(flag.label())
                  .description(flag.description())
                  .build());
    }
    return command;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CommandLine line = spec.commandLine();
    var arguments =
        new AgentArguments(given(line.getParseResult()), clears, surroundings.environment());
    return new AgentRun(arguments, surroundings, line.getErr()).call();
  }

  private static Map<AgentFlag, String> given(ParseResult parsed) {
    var given = new EnumMap<AgentFlag, String>(AgentFlag.class);
    for (AgentFlag flag : AgentFlag.values()) {
      if (parsed.hasMatchedOption(flag.option())) {
        given.put(flag, parsed.matchedOptionValue(flag.option(), ""));
      }
    }
    return given;
  }
}
