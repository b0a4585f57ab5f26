package dev.pitcrew.cli.command;

import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.Style;
import dev.pitcrew.cli.print.Terminal;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/// The root of the command line.
@Command(
    name = "kubectl gpu",
    description =
        "Shows the GPUs of a cluster, and why something does not work. Only rollout pause, resume, retry, skip and undo change something.",
    versionProvider = GpuCommand.Build.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all is well",
      "1:something is not ready, or keeps what was asked about from working",
      "2:wrong usage or wrong input",
      "3:the cluster cannot be reached, or does not allow it"
    })
final class GpuCommand {
  private GpuCommand() {}

  static int execute(Session session, String... args) {
    return create(session).execute(args);
  }

  /// A command line ready to execute.
  static CommandLine create(Session session) {
    var commandLine =
        new CommandLine(new GpuCommand())
            .addSubcommand(new StatusCommand(session))
            .addSubcommand(new NodesCommand(session))
            .addSubcommand(new ExplainCommand(session))
            .addSubcommand(new WhoCommand(session))
            .addSubcommand(new TopCommand(session))
            .addSubcommand(HealthCommand.of(session))
            .addSubcommand(MigCommand.of(session))
            .addSubcommand(RolloutCommand.of(session))
            .addSubcommand(CheckCommand.of(session))
            .addSubcommand(new ImagesCommand(session))
            .addSubcommand(new DiagCommand(session))
            .addSubcommand(new ConsoleCommand(session))
            .addSubcommand(new VersionCommand(session))
            .addSubcommand(new CompletionCommand(session));
    addHelp(commandLine);
    return commandLine
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setColorScheme(CommandLine.Help.defaultColorScheme(Ansi.OFF))
        .setOut(new PrintWriter(session.out(), true, session.out().charset()))
        .setErr(new PrintWriter(session.err(), true, session.err().charset()))
        .setParameterExceptionHandler((wrong, _) -> wrongUsage(session, wrong))
        .setExecutionExceptionHandler((failure, command, _) -> failed(session, failure, command));
  }

  private static void addHelp(CommandLine commandLine) {
    commandLine.getCommandSpec().addMixin("help", CommandSpec.forAnnotatedObject(new HelpFlags()));
    commandLine.getSubcommands().values().forEach(GpuCommand::addHelp);
  }

  private static int wrongUsage(Session session, ParameterException wrong) {
    Screen screen = errors(session);
    screen.paragraph("error: ", Style.PLAIN, message(wrong));
    Suggestions.of(wrong).ifPresent(it -> screen.paragraph("", Style.PLAIN, it));
    screen.paragraph(
        "",
        Style.PLAIN,
        "See: %s --help".formatted(wrong.getCommandLine().getCommandSpec().qualifiedName()));
    return ExitCodes.USAGE;
  }

  /// picocli's own words, but where a command of a group is missing they do not name any.
  private static String message(ParameterException wrong) {
    CommandLine group = wrong.getCommandLine();
    boolean isIncomplete =
        !group.getSubcommands().isEmpty()
            && !(group.getCommandSpec().userObject() instanceof Callable);
    return isIncomplete && !(wrong instanceof UnmatchedArgumentException)
        ? "%s needs one of: %s"
            .formatted(
                group.getCommandSpec().qualifiedName(),
                String.join(", ", group.getSubcommands().keySet()))
        : String.valueOf(wrong.getMessage());
  }

  /// What is not the cluster's refusal is a defect; its text is printed, and no stack trace.
  private static int failed(Session session, Exception failure, CommandLine command) {
    if (!(failure instanceof RefusedException refused)) {
      errors(session)
          .paragraph(
              "error: ",
              Style.PLAIN,
              "a defect of this plugin: %s; please report it, with the output of kubectl gpu version"
                  .formatted(failure));
      return ExitCodes.UNREACHABLE;
    }
    if (refused.kind() == Refusal.Kind.INTERRUPTED) {
      return ExitCodes.INTERRUPTED;
    }
    errors(session).paragraph("error: ", Style.PLAIN, words(session, refused, command));
    return switch (refused.kind()) {
      case WRONG_INPUT, NOT_FOUND -> ExitCodes.USAGE;
      case UNREACHABLE, FORBIDDEN, EXPIRED, FAILED, INTERRUPTED -> ExitCodes.UNREACHABLE;
    };
  }

  private static String words(Session session, RefusedException refused, CommandLine command) {
    return switch (refused.kind()) {
      case UNREACHABLE, EXPIRED, FAILED ->
          server(session, command).map(it -> it + ": ").orElse("") + refused.text();
      case FORBIDDEN, NOT_FOUND, WRONG_INPUT, INTERRUPTED -> refused.text();
    };
  }

  private static Optional<String> server(Session session, CommandLine command) {
    return Optional.of(command.getCommandSpec().userObject())
        .filter(ClusterCommand.class::isInstance)
        .map(ClusterCommand.class::cast)
        .map(it -> it.connection.address(session))
        .filter(it -> !it.isEmpty());
  }

  static Screen errors(Session session) {
    return new Screen(
        session.err(), Terminal.of(session.environment(), session.err().charset(), true));
  }

  /// What every command takes.
  static final class HelpFlags {
    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Explain this command.")
    boolean help;

    @Option(
        names = "--version",
        versionHelp = true,
        description = "Print the version of this plugin.")
    boolean version;
  }

  /// The version of this build, from the jar's manifest.
  static final class Build implements IVersionProvider {
    static String version() {
      return Optional.ofNullable(Build.class.getPackage().getImplementationVersion())
          .orElse("development");
    }

    @Override
    public String[] getVersion() {
      return new String[] {version()};
    }
  }
}
