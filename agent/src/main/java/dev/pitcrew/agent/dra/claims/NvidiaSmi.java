package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.agent.dra.claims.plan.DeviceSettings.TimeSlice;
import dev.pitcrew.agent.host.HostShell;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Sets time slices and compute modes with the driver's own `nvidia-smi`: NVML has no call for time
/// slices.
///
/// @param command how the program is run now, such as in the driver's root; empty where the node
///   has no driver
public record NvidiaSmi(Supplier<Optional<List<String>>> command) implements SharingStep {
  /// The driver may be busy with other GPUs; kubelet waits 45 s for all claims of a pod.
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Override
  public Result timeSlice(List<String> gpus, TimeSlice interval) {
    String number = String.valueOf(interval.number());
    for (String gpu : gpus) {
      Result mode = run(gpu, List.of("-i", gpu, "-c", "DEFAULT"));
      Result slice =
          mode instanceof Result.Done
              ? run(gpu, List.of("compute-policy", "-i", gpu, "--set-timeslice", number))
              : mode;
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

  @Override
  public Result exclusive(List<String> gpus) {
    return computeMode(gpus, "EXCLUSIVE_PROCESS");
  }

  @Override
  public Result notExclusive(List<String> gpus) {
    return computeMode(gpus, "DEFAULT");
  }

  /// Whether the driver keeps the GPU initialized without a process that uses it.
  ///
  /// @param gpu its UUID or PCI address
  public Result persistence(String gpu, boolean isOn) {
    return run(gpu, List.of("-i", gpu, "-pm", isOn ? "1" : "0"));
  }

  private Result computeMode(List<String> gpus, String mode) {
    return gpus.stream()
        .map(gpu -> run(gpu, List.of("-i", gpu, "-c", mode)))
        .filter(result -> !(result instanceof Result.Done))
        .findFirst()
        .orElseGet(Result.Done::new);
  }

  private Result run(String gpu, List<String> arguments) {
    Optional<List<String>> start = command.get();
    if (start.isEmpty()) {
      return new Result.NotSupported(
          "GPU %s: the driver of the node has no nvidia-smi; see condition DriverReady of its GPUNode"
              .formatted(gpu));
    }
    var program =
        new ProcessBuilder(Stream.concat(start.get().stream(), arguments.stream()).toList());
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
