package dev.pitcrew.cli.command;

import dev.pitcrew.cli.print.Documents;
import dev.pitcrew.cli.print.Screen;
import dev.pitcrew.cli.print.Terminal;
import java.util.Collection;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/// How to print.
final class OutputFlags {
  enum Output {
    table,
    wide,
    json,
    yaml,
    name
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "<table|wide|json|yaml|name>",
      defaultValue = "table",
      description =
          "A table, one with more, JSON or YAML for programs, or names alone (default: ${DEFAULT-VALUE}).")
  Output output = Output.table;

  @Option(
      names = "--no-color",
      description = "No colours. There are none without a terminal, nor with NO_COLOR.")
  boolean noColour;

  boolean isWide() {
    return output == Output.wide;
  }

  boolean isForPrograms() {
    return output == Output.json || output == Output.yaml;
  }

  Screen screen(Session session) {
    return new Screen(
        session.out(), Terminal.of(session.environment(), session.out().charset(), noColour));
  }

  /// @param value for programs
  /// @param names each with its kind, such as `node/gpu-1`
  /// @param table prints for people
  void print(Session session, Object value, Collection<String> names, Consumer<Screen> table) {
    Screen screen = screen(session);
    switch (output) {
      case table, wide -> table.accept(screen);
      case json -> screen.raw(Documents.json(value));
      case yaml -> screen.raw(Documents.yaml(value));
      case name -> names.forEach(screen::name);
    }
  }
}
