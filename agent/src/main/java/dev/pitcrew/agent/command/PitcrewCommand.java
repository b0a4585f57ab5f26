package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.Program;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The root of the node agent's command line.
@Command(
    name = "pitcrew",
    description = "Runs the GPUs of one node.",
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:done", "1:failed; the reason is on standard error", "2:wrong usage"})
public final class PitcrewCommand {
  static final int DONE = 0;

  /// Something that was tried did not work, or what was asked cannot be done.
  static final int FAILED = 1;

  private PitcrewCommand() {}

  /// Runs one command line and answers its exit code.
  public static int execute(Surroundings surroundings, String... arguments) {
    return create(surroundings).execute(ReferenceFlags.withTwoDashes(arguments));
  }

  /// A command line ready to execute.
  static CommandLine create(Surroundings surroundings) {
    var commandLine =
        new CommandLine(new PitcrewCommand())
            .addSubcommand(labels(surroundings))
            .addSubcommand(inventory(surroundings))
            .addSubcommand(plugin(surroundings))
            .addSubcommand(new CdiCommand(surroundings))
            .addSubcommand(new FeaturesCommand());
    addHelp(commandLine);
    commandLine.setExecutionExceptionHandler(PitcrewCommand::tell);
    commandLine.setParameterExceptionHandler(PitcrewCommand::tellUsage);
    return commandLine;
  }

  private static CommandLine labels(Surroundings surroundings) {
    var command = new CommandLine(new LabelsCommand(surroundings));
    ReferenceFlags.add(command.getCommandSpec(), Program.LABELS);
    return command;
  }

  private static CommandLine plugin(Surroundings surroundings) {
    var command = new CommandLine(new PluginCommand(surroundings));
    ReferenceFlags.add(command.getCommandSpec(), Program.PLUGIN);
    return command;
  }

  private static CommandLine inventory(Surroundings surroundings) {
    var command = new CommandLine(new InventoryCommand(surroundings));
    ReferenceFlags.add(
        command.getCommandSpec(),
        Program.LABELS,
        flag -> InventoryCommand.FLAGS.contains(flag.name()));
    return command;
  }

  private static int tell(
      Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
    commandLine.getErr().println(commandLine.getCommandName() + " failed: " + failure);
    return FAILED;
  }

  /// One line, where picocli would print all flags.
  private static int tellUsage(ParameterException wrong, String[] arguments) {
    CommandLine command = wrong.getCommandLine();
    command
        .getErr()
        .println(
            "%s; see %s --help"
                .formatted(wrong.getMessage(), command.getCommandSpec().qualifiedName()));
    return command.getCommandSpec().exitCodeOnInvalidInput();
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
