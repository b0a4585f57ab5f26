package dev.pitcrew.agent.command;

import picocli.CommandLine.Option;

/// The format in which a command prints its result.
final class OutputFormat {
  static final String JSON = "json";
  private static final String TEXT = "text";

  @Option(
      names = "-o",
      paramLabel = "<json|text>",
      defaultValue = TEXT,
      description = "The form of the output (default: ${DEFAULT-VALUE}).")
  String format = TEXT;

  boolean isValid() {
    return format.equals(JSON) || format.equals(TEXT);
  }

  boolean isJson() {
    return format.equals(JSON);
  }

  String refusal() {
    return "-o is '%s': give one of json, text (a file is named by --output)".formatted(format);
  }
}
