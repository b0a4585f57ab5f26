package dev.pitcrew.agent.command;

import dev.pitcrew.agent.config.Program;
import java.io.PrintWriter;
import java.nio.charset.Charset;
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
  ///
  /// The agent's own is read without the library for command lines, which alone takes a fifth of
  /// its start.
  public static int execute(Surroundings surroundings, String... arguments) {
    return AgentArguments.plain(surroundings.environment(), arguments)
        .map(plain -> run(plain, surroundings))
        .orElseGet(() -> create(surroundings).execute(ReferenceFlags.withTwoDashes(arguments)));
  }

  private static int run(AgentArguments arguments, Surroundings surroundings) {
    var errors = new PrintWriter(System.err, true, Charset.defaultCharset());
    try {
      return new AgentRun(arguments, surroundings, errors).call();
    } catch (Exception failure) {
      printError(failure, AgentArguments.COMMAND, errors);
      return FAILED;
    }
  }

  /// A command line ready to execute.
  public static CommandLine create(Surroundings surroundings) {
    var commandLine =
        new CommandLine(new PitcrewCommand())
            .addSubcommand(AgentCommand.in(surroundings))
            .addSubcommand(labels(surroundings))
            .addSubcommand(inventory(surroundings))
            .addSubcommand(plugin(surroundings))
            .addSubcommand(CdiCommand.in(surroundings))
            .addSubcommand(cudaCheck(surroundings))
            .addSubcommand(new FeaturesCommand())
            .addSubcommand(new ValidateCommand(surroundings))
            .addSubcommand(new RuntimeCommand())
            .addSubcommand(metrics(surroundings))
            .addSubcommand(MigCommand.in(surroundings))
            .addSubcommand(new DriverManagerCommand(surroundings))
            .addSubcommand(new VfioManageCommand(surroundings.stop()));
    addHelp(commandLine);
    commandLine.setExecutionExceptionHandler(PitcrewCommand::printError);
    commandLine.setParameterExceptionHandler(PitcrewCommand::printUsageError);
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

  private static CommandLine metrics(Surroundings surroundings) {
    var command = new CommandLine(new MetricsCommand(surroundings));
    MetricsFlag.addTo(command.getCommandSpec());
    return command;
  }

  private static CommandLine cudaCheck(Surroundings surroundings) {
    var command = new CommandLine(new CudaCheckCommand(surroundings));
    ReferenceFlags.add(
        command.getCommandSpec(),
        Program.LABELS,
        flag -> CudaCheckCommand.FLAGS.contains(flag.name()));
    return command;
  }

  private static int printError(
      Exception failure, CommandLine commandLine, CommandLine.ParseResult parsed) {
    printError(failure, commandLine.getCommandName(), commandLine.getErr());
    return FAILED;
  }

  private static void printError(Exception failure, String command, PrintWriter errors) {
    errors.println(command + " failed: " + failure);
  }

  /// One line, where picocli would print all flags.
  private static int printUsageError(ParameterException wrong, String[] arguments) {
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
