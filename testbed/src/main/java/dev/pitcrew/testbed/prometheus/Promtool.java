package dev.pitcrew.testbed.prometheus;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.CommandRun;
import dev.pitcrew.testbed.binaries.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Prometheus' own checks. Built at the first call on a machine, which takes some minutes once.
///
/// @param folder where what is to be checked is written
public record Promtool(Path program, Path folder) {

  public static Promtool in(Path folder) {
    return new Promtool(
        Binaries.standard(Progress.standardError()).resolve(Binary.PROMTOOL),
        folder.toAbsolutePath());
  }

  /// Whether a file of rules is right, with each expression in it.
  public CommandRun checkRules(String rules) {
    return run("check", "rules", write("rules.yaml", rules).toString());
  }

  /// Plays tests of rules, whose files are named by their whole path.
  public CommandRun testRules(String tests) {
    return run("test", "rules", write("tests.yaml", tests).toString());
  }

  /// What is wrong or unusual in a page of metrics.
  public CommandRun checkMetrics(String page) {
    Path file = write("metrics.txt", page);
    return CommandRun.of(
        List.of(
            "sh", "-c", "exec \"$0\" check metrics < \"$1\"", program.toString(), file.toString()),
        folder);
  }

  private CommandRun run(String... arguments) {
    var command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    return CommandRun.of(command, folder);
  }

  private Path write(String name, String text) {
    try {
      return Files.writeString(folder.resolve(name), text);
    } catch (IOException e) {
      throw new UncheckedIOException("write " + name, e);
    }
  }
}
