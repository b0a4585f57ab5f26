package dev.pitcrew.testbed.scenario.play;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Runs kubectl against one cluster and namespace.
///
/// @param binary the program
/// @param scratch a folder of the run's own, for the discovery cache and for output
record Kubectl(Path binary, Path kubeconfig, String namespace, Path scratch) {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /// What a call printed, and whether it succeeded.
  record Outcome(boolean isAccepted, String output, String errors) {

    /// The last line of the errors: kubectl's own summary.
    String refusal() {
      return errors.strip().lines().reduce("refused without a word", (_, last) -> last);
    }
  }

  Outcome run(String... arguments) {
    return run(List.of(arguments));
  }

  /// @throws UncheckedIOException where kubectl cannot be run or does not end
  Outcome run(List<String> arguments) {
    try {
      return finished(arguments, Files.createTempDirectory(scratch, "kubectl"));
    } catch (IOException e) {
      throw new UncheckedIOException("running kubectl " + String.join(" ", arguments), e);
    }
  }

  private Outcome finished(List<String> arguments, Path folder) throws IOException {
    var output = folder.resolve("output");
    var errors = folder.resolve("errors");
    var process =
        new ProcessBuilder(commandLine(arguments))
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile())
            .start();
    process.getOutputStream().close();
    var status = exitStatus(process);
    return new Outcome(status == 0, Files.readString(output), Files.readString(errors));
  }

  private List<String> commandLine(List<String> arguments) {
    var line = new ArrayList<>(List.of(binary.toString(), "--kubeconfig", kubeconfig.toString()));
    line.addAll(List.of("--cache-dir", scratch.resolve("discovery").toString()));
    line.addAll(List.of("--namespace", namespace));
    line.addAll(arguments);
    return line;
  }

  private static int exitStatus(Process process) throws IOException {
    try {
      if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("not finished after " + LIMIT.toSeconds() + " s");
      }
      return process.exitValue();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted");
    } finally {
      process.destroyForcibly();
    }
  }
}
