package dev.pitcrew.agent.cuda;

import dev.pitcrew.hardware.cuda.CudaOutcome;
import dev.pitcrew.hardware.cuda.CudaOutcome.Standing;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/// What is known of the node's GPUs.
///
/// @param gpus in the order of their index, as far as they were looked at
/// @param waiting how many are yet to be looked at
public record CudaVerdict(List<CheckedGpu> gpus, int waiting) {
  public CudaVerdict {
    gpus = List.copyOf(gpus);
  }

  public CudaVerdict(List<CheckedGpu> gpus) {
    this(gpus, 0);
  }

  public boolean hasFailed() {
    return !of(Standing.FAILS).isEmpty();
  }

  /// Whether each GPU has proved that it computes.
  public boolean isProved() {
    return waiting == 0 && !gpus.isEmpty() && of(Standing.WORKS).size() == gpus.size();
  }

  /// Each GPU that has failed, with the cause and what to do about it; else what was found.
  public String message() {
    List<CheckedGpu> failed = of(Standing.FAILS);
    if (!failed.isEmpty()) {
      return failed.stream().map(CudaVerdict::words).collect(Collectors.joining("; "));
    }
    if (gpus.size() > 1 && gpus.stream().allMatch(CudaVerdict::hasPassed)) {
      return "a vector sum is right on each of %d GPUs".formatted(gpus.size());
    }
    var parts = new ArrayList<String>();
    add(parts, "a vector sum is right on ", CudaVerdict::hasPassed);
    add(parts, "in use: ", CudaVerdict::isInUse);
    notChecked().forEach((why, names) -> parts.add("not checked: " + names + ": " + why));
    return parts.isEmpty() ? "there is no GPU to check" : String.join("; ", parts);
  }

  /// By the reason, the names of the GPUs.
  private LinkedHashMap<String, String> notChecked() {
    return of(Standing.UNKNOWN).stream()
        .collect(
            Collectors.groupingBy(
                gpu -> withRemedy(gpu.outcome()),
                LinkedHashMap::new,
                Collectors.mapping(CheckedGpu::name, Collectors.joining(", "))));
  }

  private void add(List<String> parts, String what, Predicate<CheckedGpu> which) {
    String names =
        gpus.stream().filter(which).map(CheckedGpu::name).collect(Collectors.joining(", "));
    if (!names.isEmpty()) {
      parts.add(what + names);
    }
  }

  private static boolean hasPassed(CheckedGpu gpu) {
    return gpu.outcome() instanceof CudaOutcome.Passed;
  }

  private static boolean isInUse(CheckedGpu gpu) {
    return gpu.outcome().standing() == Standing.WORKS && !hasPassed(gpu);
  }

  private List<CheckedGpu> of(Standing standing) {
    return gpus.stream().filter(gpu -> gpu.outcome().standing() == standing).toList();
  }

  private static String words(CheckedGpu gpu) {
    return "%s (%s): %s".formatted(gpu.name(), gpu.uuid(), withRemedy(gpu.outcome()));
  }

  private static String withRemedy(CudaOutcome outcome) {
    String remedy = OutcomeText.remedy(outcome);
    return OutcomeText.meaning(outcome) + (remedy.isEmpty() ? "" : "; " + remedy);
  }
}
