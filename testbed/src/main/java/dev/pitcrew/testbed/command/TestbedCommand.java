package dev.pitcrew.testbed.command;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.bench.BenchCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/// Entry point of the command.
@Command(
    name = "testbed",
    description = "A real Kubernetes control plane with simulated or real nodes, on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "",
      "Start here:   testbed up --gpu-nodes 4",
      "",
      "The first start builds Kubernetes, once: some 8 minutes on two cores, with progress shown.",
      "Exit status:  0 done; 1 could not, the message says why; 2 wrong usage."
    })
public final class TestbedCommand {
  private static final int COULD_NOT = 1;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help and exit.")
  @SuppressWarnings("unused") // picocli acts on it before any of our code runs
  private boolean isHelpWanted;

  private TestbedCommand() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /// The exit status for `arguments`; output goes to the standard streams.
  static int run(String... arguments) {
    var command = new CommandLine(new TestbedCommand());
    var out = command.getOut();
    command.addSubcommand(new Up(out));
    command.addSubcommand(new Down(out));
    command.addSubcommand(new ListTestbeds(out));
    command.addSubcommand(new ListBinaries(out));
    command.addSubcommand(BenchCommand.create(out));
    command.setExecutionExceptionHandler(TestbedCommand::explain);
    return command.execute(arguments);
  }

  /// A message for what the test bed refuses, and a stack trace only for what is a bug.
  private static int explain(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    switch (failure) {
      case TestbedException refusal -> command.getErr().println("testbed: " + refusal.getMessage());
      default -> failure.printStackTrace(command.getErr());
    }
    return COULD_NOT;
  }
}
