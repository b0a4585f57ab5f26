package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.TimeSlice;
import dev.pitcrew.agent.host.HostShell;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// Sets time slices with the driver's own `nvidia-smi`: NVML has no call for them.
///
/// @param command the program, and what goes before it, such as a change of the root
/// @param environment such as `LD_PRELOAD` with the driver's NVML
public record NvidiaSmi(List<String> command, Map<String, String> environment)
    implements SharingStep {
  /// The driver may be busy with other GPUs; kubelet waits 45 s for all claims of a pod.
  private static final Duration LIMIT = Duration.ofSeconds(10);

  public NvidiaSmi {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  @Override
  public Result timeSlice(List<String> gpus, TimeSlice interval) {
    for (String gpu : gpus) {
      Result mode = run(gpu, List.of("-i", gpu, "-c", "DEFAULT"));
      if (!(mode instanceof Result.Done)) {
        return mode;
      }
      String number = String.valueOf(interval.number());
      Result slice = run(gpu, List.of("compute-policy", "-i", gpu, "--set-timeslice", number));
      if (!(slice instanceof Result.Done)) {
        return slice;
      }
    }
    return new Result.Done();
  }

  @Override
  public Result reset(List<String> gpus) {
    return timeSlice(gpus, TimeSlice.DEFAULT);
  }

  private Result run(String gpu, List<String> arguments) {
    var program = new ProcessBuilder(Stream.concat(command.stream(), arguments.stream()).toList());
    program.environment().putAll(environment);
    try {
      HostShell.Said said = HostShell.run(LIMIT, program);
      return said.isGood()
          ? new Result.Done()
          : new Result.Failed(
              "GPU %s: nvidia-smi %s failed: %s"
                  .formatted(gpu, String.join(" ", arguments), said.lastOutput()));
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return new Result.Failed("GPU %s: the agent ends".formatted(gpu));
    }
  }
}
