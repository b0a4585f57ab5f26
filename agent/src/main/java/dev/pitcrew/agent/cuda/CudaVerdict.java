package dev.pitcrew.agent.cuda;

import java.util.List;
import java.util.stream.Collectors;

/// What is known of the node's GPUs after each was checked.
public record CudaVerdict(List<CheckedGpu> gpus) {
  public CudaVerdict {
    gpus = List.copyOf(gpus);
  }

  /// Whether pods can compute here: there is a GPU, and each has proved it.
  public boolean isReady() {
    return !gpus.isEmpty() && gpus.stream().allMatch(gpu -> gpu.outcome().provesHealth());
  }

  /// Each GPU that has not, with the cause and what to do about it; what was done where all have.
  public String message() {
    List<CheckedGpu> failed = gpus.stream().filter(gpu -> !gpu.outcome().provesHealth()).toList();
    if (failed.isEmpty()) {
      return gpus.isEmpty()
          ? "there is no GPU to check"
          : "a vector sum is right on each of %d".formatted(gpus.size());
    }
    return failed.stream()
        .map(gpu ->
            "%s (%s): %s; %s"
                .formatted(
                    gpu.name(),
                    gpu.uuid(),
                    OutcomeText.meaning(gpu.outcome()),
                    OutcomeText.remedy(gpu.outcome())))
        .collect(Collectors.joining("; "));
  }
}
