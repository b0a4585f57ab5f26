package dev.pitcrew.cli.command;

import dev.pitcrew.cli.print.Screen;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import picocli.CommandLine.Mixin;

/// What every command has that reads a cluster and prints what it finds.
abstract class ReadingCommand extends ClusterCommand {
  @Mixin OutputFlags output = new OutputFlags();

  ReadingCommand(Session session) {
    super(session);
  }

  /// Prints a list.
  ///
  /// @param none what is said on standard error where it is empty
  /// @param name of a row, with its kind
  final <T> void printRows(
      List<T> rows, String none, Function<T, String> name, Consumer<Screen> table) {
    if (rows.isEmpty()) {
      session.err().println(none);
    }
    output.print(
        session,
        rows,
        rows.stream().map(name).distinct().toList(),
        screen -> {
          if (!rows.isEmpty()) {
            table.accept(screen);
          }
        });
  }
}
