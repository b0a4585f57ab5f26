package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.ClassResult.Note;
import dev.pitcrew.testrunner.Job.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs a command to its end. A line `SKIPPED name: reason` that it prints counts as a skipped
/// test.
final class CommandRun {
  private static final String SKIPPED = "SKIPPED ";
  private static final int LAST_LINES = 40;

  private CommandRun() {}

  static JobResult run(Command command) {
    var start = System.nanoTime();
    var cpu = Duration.ZERO;
    try {
      var log = log(command);
      Files.createDirectories(log.getParent());
      var process =
          new ProcessBuilder(command.words())
              .directory(command.folder().toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      process.getOutputStream().close();
      while (!process.waitFor(1, TimeUnit.SECONDS)) {
        var used = ProcessTree.cpu(process.pid());
        cpu = used.compareTo(cpu) > 0 ? used : cpu;
      }
      var result = result(command, process.exitValue(), log);
      return new JobResult(command, result, Lane.since(start), cpu);
    } catch (IOException e) {
      var failure = ClassResult.failed(command.name(), e.toString());
      return new JobResult(command, failure, Lane.since(start), cpu);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      var failure = ClassResult.failed(command.name(), "interrupted");
      return new JobResult(command, failure, Lane.since(start), cpu);
    }
  }

  private static Path log(Command command) {
    return command.folder().resolve("target/test-logs", command.name() + ".log");
  }

  /// What the command printed last.
  static String lastLine(Command command) {
    try (var lines = Files.lines(log(command))) {
      return lines.filter(line -> !line.isBlank()).reduce("", (_, last) -> last);
    } catch (IOException e) {
      return "no output (%s)".formatted(e);
    }
  }

  private static ClassResult result(Command command, int status, Path log) throws IOException {
    var lines = Files.readAllLines(log);
    if (status != 0) {
      var end =
          String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
      return ClassResult.failed(
          command.name(), "ended with status %d, see %s:%n%s".formatted(status, log, end));
    }
    var skips =
        lines.stream()
            .filter(line -> line.startsWith(SKIPPED))
            .map(line -> line.substring(SKIPPED.length()).split(": ", 2))
            .map(words ->
                new Note(command.name() + " " + words[0], words.length > 1 ? words[1] : ""))
            .toList();
    return new ClassResult(1, List.of(), skips);
  }
}
