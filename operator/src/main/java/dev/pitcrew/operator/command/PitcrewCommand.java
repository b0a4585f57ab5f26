package dev.pitcrew.operator.command;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/// The root of the command line.
@Command(
    name = "pitcrew",
    description = "Runs the GPUs of a Kubernetes cluster.",
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:failed; the reason is on standard error", "2:wrong usage"})
public final class PitcrewCommand {
  /// Something that was tried did not work, or the environment does not allow to try it.
  public static final int FAILED = 1;

  private PitcrewCommand() {}

  /// A command line ready to execute, with the environment's variables.
  public static CommandLine create(Programs programs, Map<String, String> variables) {
    var environment = new Environment(variables);
    var commandLine =
        new CommandLine(new PitcrewCommand())
            .addSubcommand(new OperatorCommand(programs.operator(), environment))
            .addSubcommand(new CrdCommand(programs.crds(), environment))
            .addSubcommand(new CleanupCommand(programs.cleanup(), environment))
            .addSubcommand(new RolloutCommand(programs.rollout(), environment));
    addHelp(commandLine);
    return commandLine;
  }

  private static void addHelp(CommandLine commandLine) {
    commandLine.getCommandSpec().addMixin("help", CommandSpec.forAnnotatedObject(new HelpFlag()));
    commandLine.getSubcommands().values().forEach(PitcrewCommand::addHelp);
  }

  /// What every command takes.
  static final class HelpFlag {
    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Explain this command.")
    boolean asked;
  }
}
