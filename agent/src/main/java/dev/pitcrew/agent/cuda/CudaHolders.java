package dev.pitcrew.agent.cuda;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.context.DriverPaths;
import dev.pitcrew.agent.gpu.DriverController;
import dev.pitcrew.agent.mig.change.OwnAccess;
import dev.pitcrew.agent.pods.HoldingPod;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.NotChecked;
import dev.pitcrew.hardware.nvml.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// What a check of a GPU would disturb: processes that compute or draw on it or on its MIG devices,
/// clients of MPS, and pods that hold it and may be about to take all of its memory.
final class CudaHolders {
  private static final Duration FOR_A_CALL = Duration.ofSeconds(5);

  /// A check of an agent that was killed ends a moment after it, unless it hangs in the driver.
  static final CudaOutcome ENDING = new NotChecked("an earlier check of it has not ended yet");

  private final AgentContext context;
  private final DriverController driver;
  private final HoldingPods pods;

  CudaHolders(AgentContext context, DriverController driver) {
    this.context = context;
    this.driver = driver;
    this.pods = new HoldingPods(context.host());
  }

  /// What is known of a GPU without a check; empty where a check disturbs no user of it.
  ///
  /// @param folder where the policy says that the driver is
  Optional<CudaOutcome> of(CudaTarget.On gpu, String folder) {
    Answer<List<Integer>> found = processes(gpu, folder);
    if (!(found instanceof Answer.Value<List<Integer>>(var processes))) {
      return Optional.of(new NotChecked("its processes cannot be read: " + found.reason()));
    }
    if (processes.stream().anyMatch(process -> !CudaCheck.isCheck(process))) {
      return Optional.of(new CudaOutcome.InUse());
    }
    return processes.isEmpty() ? pods(gpu) : Optional.of(ENDING);
  }

  private Answer<List<Integer>> processes(CudaTarget.On gpu, String folder) {
    var settings = DriverPaths.of(context, folder).gpuSettings();
    try (var access = new OwnAccess(settings.withUse(driver.use()).withDeadline(FOR_A_CALL))) {
      return access.gpus().flatMap(it -> it.processes(gpu.index()));
    }
  }

  private Optional<CudaOutcome> pods(CudaTarget.On gpu) {
    Optional<List<HoldingPod>> holding =
        pods.atMost(gpu.all()).map(HoldingPods.Holders::all).or(() -> pods.of(gpu.all()));
    if (holding.isEmpty()) {
      return Optional.of(new NotChecked("the kubelet does not say which pods hold it"));
    }
    String names =
        holding.get().stream()
            .map(pod -> pod.namespace() + "/" + pod.name())
            .distinct()
            .collect(Collectors.joining(", "));
    return Optional.of(names)
        .filter(it -> !it.isEmpty())
        .map(it -> new NotChecked("held by pod " + it + ", which does not use it"));
  }
}
