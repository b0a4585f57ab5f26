package dev.pitcrew.agent.unhealthy;

import dev.pitcrew.agent.health.Sign;
import dev.pitcrew.agent.health.SignKind;
import dev.pitcrew.agent.mig.MigLayoutChoice;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.inventory.Gpu;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/// What to do with the GPUs that need a reset, as far as that follows from what is known. The rest
/// depends on the pods and processes that hold them.
///
/// @param candidates that may be reset if no pod or process holds them
/// @param settling that were reset, and were not looked at since
/// @param words why others have to wait
/// @param next when the first of those that wait for a time is due
record ResetPlan(
    List<Gpu> candidates, Set<String> settling, Map<String, String> words, Optional<Instant> next) {
  static final ResetPlan NOTHING = new ResetPlan(List.of(), Set.of(), Map.of(), Optional.empty());

  /// A GPU that does not come back is looked at no more.
  private static final Duration SETTLES_WITHIN = Duration.ofSeconds(30);

  /// A reset that did not help may help later, when a neighbour is healthy again. If it is unknown
  /// whether the reset was made, it is tried again sooner.
  private static final Duration AFTER_ONE_IN_VAIN = Duration.ofMinutes(10);

  /// @param refused why resets were not made, and until when they are left alone
  static ResetPlan of(
      ResetController.Wanted wanted,
      GpuNodeStatus report,
      Map<String, Refusal> refused,
      Instant now) {
    return new Making(wanted, wanted.loaded(), needy(report), refused, now).plan();
  }

  /// The driver did not reset a GPU.
  record Refusal(int count, String why, Instant until) {}

  private static Set<String> needy(GpuNodeStatus report) {
    return report.gpus().stream()
        .filter(gpu -> !gpu.health().isAbsent() && gpu.uuid() != null)
        .filter(gpu -> gpu.health().level() == HealthLevel.NEEDS_RESET)
        .map(gpu -> String.valueOf(gpu.uuid()))
        .collect(Collectors.toUnmodifiableSet());
  }

  private record Making(
      ResetController.Wanted wanted,
      NodeSnapshot.WithDriver loaded,
      Set<String> needy,
      Map<String, Refusal> refused,
      Instant now) {

    ResetPlan plan() {
      List<Gpu> all = loaded.gpus().inventory().gpus();
      Set<String> settling =
          all.stream().filter(this::isSettling).map(Gpu::uuid).collect(Collectors.toSet());
      var words = new TreeMap<String, String>();
      settling.forEach(uuid -> words.put(uuid, "it was reset, and is being looked at"));
      List<Gpu> unhealthy =
          all.stream()
              .filter(gpu -> needy.contains(gpu.uuid()) && !settling.contains(gpu.uuid()))
              .toList();
      unhealthy.forEach(gpu -> hindrance(gpu).ifPresent(why -> words.put(gpu.uuid(), why)));
      return new ResetPlan(
          unhealthy.stream().filter(gpu -> !words.containsKey(gpu.uuid())).toList(),
          settling,
          words,
          all.stream()
              .filter(gpu -> words.containsKey(gpu.uuid()))
              .flatMap(gpu -> due(gpu).stream())
              .filter(now::isBefore)
              .min(Instant::compareTo));
    }

    private Optional<Sign> tried(Gpu gpu) {
      return loaded.unhealthy().signs().resets(gpu.uuid());
    }

    private boolean isSettling(Gpu gpu) {
      return tried(gpu)
          .filter(sign -> !sign.counts() && now.isBefore(sign.since().plus(SETTLES_WITHIN)))
          .isPresent();
    }

    private Optional<Instant> due(Gpu gpu) {
      return tried(gpu)
          .map(it ->
              it.since().plus(it.counts() && it.isMade() ? AFTER_ONE_IN_VAIN : SETTLES_WITHIN))
          .or(() -> Optional.ofNullable(refused.get(gpu.uuid())).map(Refusal::until));
    }

    /// Why a GPU must not be reset now, regardless of its holders.
    private Optional<String> hindrance(Gpu gpu) {
      return exhausted(gpu).or(() -> resting(gpu)).or(() -> divided(gpu));
    }

    private Optional<String> exhausted(Gpu gpu) {
      return tried(gpu)
          .filter(it -> it.value() >= SignKind.MOST_RESETS)
          .map(it -> "%d resets did not help: drain and reboot the node".formatted(it.value()));
    }

    private Optional<String> resting(Gpu gpu) {
      Optional<Refusal> refusal = Optional.ofNullable(refused.get(gpu.uuid()));
      return due(gpu)
          .filter(now::isBefore)
          .map(until ->
              refusal
                  .map(it ->
                      "a reset failed: %s; it is tried again at %s".formatted(it.why(), until))
                  .orElseGet(() -> vain(gpu) + "; another is tried at " + until));
    }

    private String vain(Gpu gpu) {
      return tried(gpu).filter(Sign::isMade).isPresent()
          ? "a reset did not help"
          : "an agent ended in the middle of a reset";
    }

    /// Instances do not outlive a reset.
    private Optional<String> divided(Gpu gpu) {
      if (wanted.dividing().contains(gpu.uuid())) {
        return Optional.of("it is reset after the change of its MIG layout");
      }
      boolean isDividedAgain = wanted.settings().isOn(NodeFunction.MIG) && isLayoutNamed();
      return Optional.of(
              "a reset would remove its MIG devices, and they would not be created again: set the label nvidia.com/mig.config, or drain the node and reset it by hand")
          .filter(_ -> !gpu.mig().migDevices().isEmpty() && !isDividedAgain);
    }

    private boolean isLayoutNamed() {
      return MigLayoutChoice.of(wanted.label(), wanted.configMaps(), wanted.settings().mig(), "")
          instanceof MigLayoutChoice.Named;
    }
  }
}
