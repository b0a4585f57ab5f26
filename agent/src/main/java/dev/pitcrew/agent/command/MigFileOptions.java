package dev.pitcrew.agent.command;

import dev.pitcrew.agent.mig.config.MigConfig.Selection;
import dev.pitcrew.agent.mig.config.MigConfigParser;
import dev.pitcrew.agent.mig.config.MigEntry;
import dev.pitcrew.agent.mig.config.ParsedMigConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/// The configuration file and the label in it.
final class MigFileOptions {
  @Option(
      names = {"-f", "--config-file"},
      paramLabel = "<file>",
      defaultValue = "${env:MIG_PARTED_CONFIG_FILE:-}",
      description = "The configuration file, - for standard input (MIG_PARTED_CONFIG_FILE).")
  String file = "";

  @Option(
      names = {"-c", "--selected-config"},
      paramLabel = "<label>",
      defaultValue = "${env:MIG_PARTED_SELECTED_CONFIG:-}",
      description =
          "The label in the file; needed where it has several (MIG_PARTED_SELECTED_CONFIG).")
  String label = "";

  @Option(
      names = {"-m", "--mode-only"},
      defaultValue = "${env:MIG_PARTED_MODE_CHANGE_ONLY:-false}",
      fallbackValue = "true",
      arity = "0..1",
      description = "Only the MIG mode, not the MIG devices (MIG_PARTED_MODE_CHANGE_ONLY).")
  boolean isModeOnly;

  /// The entries that the label selects; empty, with a message, where there are none.
  Optional<List<MigEntry>> entries(PrintWriter errors) {
    if (file.isEmpty()) {
      return none(errors, "missing required flags 'config-file'");
    }
    try {
      return switch (MigConfigParser.parse(text())) {
        case ParsedMigConfig.Rejected(var problem) ->
            none(errors, "Error parsing config file: " + problem.text(file));
        case ParsedMigConfig.Accepted(var config) ->
            switch (config.select(label)) {
              case Selection.None(var reason) -> none(errors, file + ": " + reason);
              case Selection.Selected(_, var entries) -> {
                warn(entries, errors);
                yield Optional.of(entries);
              }
            };
      };
    } catch (IOException e) {
      return none(errors, "Error parsing config file: read error: " + e.getMessage());
    }
  }

  /// Their values, by the variables of nvidia-mig-parted.
  Map<String, String> variables() {
    return Map.of(
        "MIG_PARTED_CONFIG_FILE", file,
        "MIG_PARTED_SELECTED_CONFIG", label,
        "MIG_PARTED_MODE_CHANGE_ONLY", Boolean.toString(isModeOnly));
  }

  private void warn(List<MigEntry> entries, PrintWriter errors) {
    entries.stream()
        .flatMap(entry -> entry.unreadableFilters().stream())
        .forEach(filter ->
            errors.printf(
                "%s: device-filter '%s' is no device id such as 0x233010DE: it matches no GPU%n",
                file, filter));
  }

  private String text() throws IOException {
    byte[] bytes = file.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(file));
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static Optional<List<MigEntry>> none(PrintWriter errors, String why) {
    errors.println(why);
    return Optional.empty();
  }
}
