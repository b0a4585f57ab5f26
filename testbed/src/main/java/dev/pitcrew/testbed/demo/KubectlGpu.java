package dev.pitcrew.testbed.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.CommandRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The kubectl plugin of the checkout, as a user of the cluster runs it.
record KubectlGpu(Path kubectl, Path kubeconfig) {
  /// From the root of the checkout.
  static final Path LAUNCHER = Path.of("cli", "kubectl-gpu");

  /// Its console while it runs.
  record Console(Process process, String address) implements AutoCloseable {
    @Override
    public void close() {
      process.destroy();
    }
  }

  CommandRun run(String... arguments) {
    return CommandRun.of(command(List.of(arguments)), Path.of("").toAbsolutePath(), environment());
  }

  /// Serves the console on a free port, until it is closed.
  Console console() {
    try {
      var builder =
          new ProcessBuilder(command(List.of("console", "--no-open", "--port", "0")))
              .redirectErrorStream(true);
      builder.environment().putAll(environment());
      var process = builder.start();
      var line =
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)).readLine();
      if (line == null || !line.startsWith("http")) {
        process.destroy();
        throw new TestbedException("kubectl gpu console gives no address: " + line);
      }
      return new Console(process, line.substring(0, line.indexOf(' ')));
    } catch (IOException e) {
      throw new UncheckedIOException("start kubectl gpu console", e);
    }
  }

  private Map<String, String> environment() {
    return Map.of(
        "KUBECONFIG",
        kubeconfig.toString(),
        "KUBECTL",
        kubectl.toString(),
        "COLUMNS",
        "100",
        "LC_ALL",
        "C.UTF-8");
  }

  private static List<String> command(List<String> arguments) {
    var command = new ArrayList<>(List.of(LAUNCHER.toAbsolutePath().toString()));
    command.addAll(arguments);
    return command;
  }
}
