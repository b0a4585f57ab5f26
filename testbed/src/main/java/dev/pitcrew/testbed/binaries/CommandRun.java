package dev.pitcrew.testbed.binaries;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// A command that has run to its end: exit status, and standard output and error together. A
/// command that could not be started has status 127, as in a shell.
public record CommandRun(int status, String output) {
  private static final int LAST_LINES = 8;

  public static CommandRun of(List<String> command, Path folder) {
    return of(command, folder, Map.of());
  }

  /// @param environment variables beside those of this process
  public static CommandRun of(List<String> command, Path folder, Map<String, String> environment) {
    return run(command, folder, environment, CommandRun::all);
  }

  /// For a command that runs for minutes: `onLine` gets each line of its output as it comes.
  static CommandRun following(
      List<String> command, Path folder, Map<String, String> environment, Consumer<String> onLine) {
    return run(command, folder, environment, process -> lines(process, onLine));
  }

  private interface Reading {
    String outputOf(Process process) throws IOException;
  }

  private static String all(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static String lines(Process process, Consumer<String> onLine) throws IOException {
    var lines = new StringBuilder();
    var reader = process.inputReader(StandardCharsets.UTF_8);
    for (var line = reader.readLine(); line != null; line = reader.readLine()) {
      onLine.accept(line);
      lines.append(line).append('\n');
    }
    return lines.toString();
  }

  private static CommandRun run(
      List<String> command, Path folder, Map<String, String> environment, Reading reading) {
    try {
      var builder =
          new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
      builder.environment().putAll(environment);
      var process = builder.start();
      process.getOutputStream().close();
      return finish(process, reading);
    } catch (IOException e) {
      return new CommandRun(127, String.valueOf(e.getMessage()));
    }
  }

  private static CommandRun finish(Process process, Reading reading) throws IOException {
    try {
      var output = reading.outputOf(process);
      return new CommandRun(process.waitFor(), output);
    } catch (InterruptedException e) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      return new CommandRun(130, "interrupted");
    }
  }

  public boolean succeeded() {
    return status == 0;
  }

  /// The end of the output on one line, for an error message.
  public String lastLines() {
    var lines = output.lines().filter(line -> !line.isBlank()).toList();
    return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
        .map(String::strip)
        .collect(Collectors.joining("; "));
  }
}
