package dev.pitcrew.testbed.bench;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The benches, as subcommands.
@Command(name = "bench", description = "Measure the operator against simulated nodes.")
public final class BenchCommand {
  private BenchCommand() {}

  /// The command with all its subcommands, which print to `console`.
  public static CommandLine create(PrintWriter console) {
    var command = new CommandLine(new BenchCommand());
    command.addSubcommand(new OperatorBench(console));
    command.addSubcommand(new SteadyBench(console));
    return command;
  }
}
