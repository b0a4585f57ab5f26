package dev.pitcrew.cli.command;

import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.Style;
import dev.pitcrew.cli.print.Terminal;
import picocli.CommandLine.Option;

/// What every command has that writes: it says what it has changed, and how to take that back.
abstract class WritingCommand extends ClusterCommand {
  @Option(
      names = "--dry-run",
      arity = "0..1",
      paramLabel = "<server>",
      fallbackValue = "server",
      defaultValue = "none",
      description = "The API server only says whether it would: nothing is changed.")
  DryRun dryRun = DryRun.none;

  /// As kubectl has it, without a dry run that asks no API server.
  enum DryRun {
    none,
    server
  }

  WritingCommand(Session session) {
    super(session);
  }

  /// Writes, and says so.
  ///
  /// @param object such as `nodes/gpu-1`
  /// @param patch in JSON
  /// @param done what has changed
  /// @param effect what comes of it
  /// @param back the command that takes it back
  final int write(String object, String patch, String done, String effect, String back) {
    boolean isDry = dryRun == DryRun.server;
    connection.kubectl(session, connection.timeout).patch(object, patch, isDry);
    Screen screen = screen();
    screen.paragraph(isDry ? "would be changed: " : "", Style.BOLD, done);
    screen.paragraph("", Style.PLAIN, effect);
    screen.paragraph("To take it back: ", Style.PLAIN, back);
    if (isDry) {
      screen.paragraph(
          "", Style.PLAIN, "This was a dry run by the API server: nothing is changed.");
    }
    return ExitCodes.OK;
  }

  /// Where nothing is to be written.
  final int already(String text) {
    screen().paragraph("", Style.PLAIN, text + " Nothing is changed.");
    return ExitCodes.OK;
  }

  private Screen screen() {
    return new Screen(
        session.out(), Terminal.of(session.environment(), session.out().charset(), true));
  }
}
