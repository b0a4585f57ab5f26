package dev.pitcrew.testbed.bench;

import java.io.PrintWriter;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/// The benches, as subcommands.
@Command(
    name = "bench",
    description = "Measure the operator against simulated nodes, and the agent on a real one.")
public final class BenchCommand {
  /// Held here, or its level could be forgotten. The client warns of every alpha version it uses.
  private static final Logger CLIENT_LOG = Logger.getLogger("io.fabric8");

  private BenchCommand() {}

  /// The command with all its subcommands, which print to `console`.
  public static CommandLine create(PrintWriter console) {
    CLIENT_LOG.setLevel(Level.SEVERE);
    var command = new CommandLine(new BenchCommand());
    command.addSubcommand(new OperatorBench(console));
    command.addSubcommand(new SteadyBench(console));
    command.addSubcommand(new AgentBench(console));
    command.addSubcommand(new ClaimsCommand(console));
    command.setCaseInsensitiveEnumValuesAllowed(true);
    return command;
  }
}
