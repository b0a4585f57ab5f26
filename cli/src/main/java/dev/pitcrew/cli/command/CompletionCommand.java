package dev.pitcrew.cli.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Completion by kubectl's own protocol: kubectl runs the program `kubectl_complete-gpu`, and
/// passes its lines on to bash, zsh, fish or PowerShell.
@Command(
    name = "completion",
    versionProvider = GpuCommand.Build.class,
    description = {
      "Prints the program by which kubectl completes the words of this plugin, in every shell.",
      "Save it as kubectl_complete-gpu in a folder of PATH."
    },
    footer = {
      "",
      "Examples:",
      "  kubectl gpu completion > ~/bin/kubectl_complete-gpu && chmod +x ~/bin/kubectl_complete-gpu"
    })
final class CompletionCommand implements Callable<Integer> {
  private static final String PROGRAM =
      """
      #!/bin/sh
      # kubectl runs this to complete the words of kubectl gpu.
      exec kubectl-gpu completion --words -- "$@"
      """;

  /// Of kubectl's protocol: no names of files.
  private static final String NO_FILES = ":4";

  private final Session session;

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(names = "--words", hidden = true)
  boolean asks;

  @Parameters(hidden = true)
  List<String> words = new ArrayList<>();

  CompletionCommand(Session session) {
    this.session = session;
  }

  @Override
  public Integer call() {
    if (!asks) {
      if (!words.isEmpty()) {
        throw Names.wrong(
            "one program serves all shells: kubectl gpu completion takes no argument");
      }
      session.out().print(PROGRAM);
      return ExitCodes.OK;
    }
    String begin = words.isEmpty() ? "" : words.getLast();
    candidates().filter(it -> it.startsWith(begin)).forEach(session.out()::println);
    session.out().println(NO_FILES);
    return ExitCodes.OK;
  }

  private Stream<String> candidates() {
    CommandLine command = spec.parent().commandLine();
    int depth = 0;
    while (depth < words.size() - 1 && command.getSubcommands().containsKey(words.get(depth))) {
      command = Objects.requireNonNull(command.getSubcommands().get(words.get(depth)));
      depth++;
    }
    if (!command.getSubcommands().isEmpty()) {
      return command.getSubcommands().keySet().stream();
    }
    Stream<String> options =
        command.getCommandSpec().options().stream()
            .filter(it -> !it.hidden())
            .map(OptionSpec::longestName);
    boolean isKind = command.getCommandName().equals("explain") && words.size() == 2;
    return isKind ? Stream.concat(ExplainCommand.KINDS.stream(), options) : options;
  }
}
