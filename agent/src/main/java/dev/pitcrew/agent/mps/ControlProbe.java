package dev.pitcrew.agent.mps;

import dev.pitcrew.device.mps.MpsDaemon;
import dev.pitcrew.device.mps.MpsPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/// Asks each daemon itself, through the driver's control program (device plugin, MPS health probe).
///
/// @param program such as `/usr/bin/nvidia-cuda-mps-control`; empty where there is none
/// @param timeout for one answer; a daemon may hang
public record ControlProbe(Optional<Path> program, Duration timeout) implements DaemonHealth {
  /// Where the folder of the daemons is in containers, whatever it is called on the host.
  public static final String ROOT = "/mps";

  private static final String QUESTION = "get_default_active_thread_percentage";

  @Override
  public Map<String, String> down(MpsPlan plan) throws InterruptedException {
    var down = new TreeMap<>(plan.refused());
    for (MpsDaemon daemon : plan.daemons()) {
      problem(daemon).ifPresent(reason -> down.put(daemon.resource(), reason));
    }
    return down;
  }

  private Optional<String> problem(MpsDaemon daemon) throws InterruptedException {
    if (program.isEmpty()) {
      return Optional.of(
          "nvidia-cuda-mps-control was not found on PATH or below the driver root, so its MPS control daemon cannot be asked");
    }
    try {
      return ask(daemon, program.get());
    } catch (IOException e) {
      return Optional.of("its MPS control daemon cannot be asked: " + e.getMessage());
    }
  }

  private Optional<String> ask(MpsDaemon daemon, Path control)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(control.toString()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(environment(daemon));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    Process process = builder.start();
    try (var stdin = process.getOutputStream()) {
      stdin.write((QUESTION + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException _) {
      // It ended before it read; its exit code shows why.
    }
    return answer(process);
  }

  private static Map<String, String> environment(MpsDaemon daemon) {
    String folder = ROOT + "/" + daemon.resource();
    return Map.of(
        "CUDA_MPS_PIPE_DIRECTORY", folder + "/pipe", "CUDA_MPS_LOG_DIRECTORY", folder + "/log");
  }

  private Optional<String> answer(Process process) throws InterruptedException {
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return Optional.of(
            "its MPS control daemon did not answer within %d s".formatted(timeout.toSeconds()));
      }
      int code = process.exitValue();
      return Optional.of(
              "its MPS control daemon is not healthy: %s failed with exit code %d"
                  .formatted(QUESTION, code))
          .filter(_ -> code != 0);
    } finally {
      process.destroyForcibly();
    }
  }
}
