package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.fleetpolicy.RolloutSpec;
import dev.pitcrew.operator.upgrade.PreflightPod.Pull;
import dev.pitcrew.operator.upgrade.PreflightPool.DriverImage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Which images are pulled where before a node begins: a function of the pods that pull, and of the
/// nodes. A pod is kept as long as nodes of its pool wait, since it is the only memory of its
/// result; then it goes.
///
/// @param starts pods to make
/// @param ends pods to delete
/// @param obstacles why nodes have to wait, by name
public record PreflightPlan(List<Start> starts, List<PodName> ends, Map<String, Hold> obstacles) {
  /// A pod that ended without having pulled is replaced this long after it was made.
  static final Duration RETRY = Duration.ofMinutes(1);

  /// A pod to make.
  public record Start(PreflightPool pool, String node) {}

  /// Nothing is wanted.
  public static final PreflightPlan NONE = new PreflightPlan(List.of(), List.of(), Map.of());

  public PreflightPlan {
    starts = List.copyOf(starts);
    ends = List.copyOf(ends);
    obstacles = Map.copyOf(obstacles);
  }

  public static PreflightPlan of(
      List<PreflightPool> pools, List<PreflightPod> pods, RolloutSpec rollout, Instant now) {
    var drafts = new Drafts(now);
    Map<String, PreflightPod> left = new HashMap<>();
    pods.forEach(pod -> left.put(pod.name().name(), pod));
    boolean wanted = rollout.isPreflighted() && !rollout.isPaused() && !rollout.isDryRun();
    for (PreflightPool pool : pools) {
      List<UpgradeNode> waiting = pool.waiting();
      if (rollout.isPreflighted() && !waiting.isEmpty()) {
        Optional<PreflightPod> pod = Optional.ofNullable(left.remove(pool.pod()));
        if (wanted || pod.isPresent()) {
          drafts.take(pool, waiting, pod);
        }
      }
    }
    left.values().stream().filter(pod -> !pod.terminating()).forEach(drafts::end);
    return new PreflightPlan(drafts.starts, drafts.ends, drafts.obstacles);
  }

  private static final class Drafts {
    private final Instant now;
    private final List<Start> starts = new ArrayList<>();
    private final List<PodName> ends = new ArrayList<>();
    private final Map<String, Hold> obstacles = new HashMap<>();

    Drafts(Instant now) {
      this.now = now;
    }

    void take(PreflightPool pool, List<UpgradeNode> waiting, Optional<PreflightPod> pod) {
      String best = best(waiting);
      if (pod.isEmpty()) {
        starts.add(new Start(pool, best));
        hold(waiting, pulling(pool, best, "it has just begun"));
        return;
      }
      hold(pool, waiting, pod.get());
    }

    void end(PreflightPod pod) {
      ends.add(pod.name());
    }

    private void hold(PreflightPool pool, List<UpgradeNode> waiting, PreflightPod pod) {
      switch (pod.pull()) {
        case Pull.Done _ -> {}
        case Pull.UnderWay(String text) -> {
          hold(waiting, pulling(pool, pod.node(), text));
          if (isStranded(pool, waiting, pod)) {
            end(pod);
          }
        }
        case Pull.Refused(String container, String text) -> {
          hold(waiting, refused(pool, pod.node(), container, text));
          if (isStranded(pool, waiting, pod)) {
            end(pod);
          }
        }
        case Pull.Lost(String text) -> lost(waiting, pod, text);
      }
    }

    private void lost(List<UpgradeNode> waiting, PreflightPod pod, String text) {
      Instant again = pod.created().plus(RETRY);
      hold(
          waiting,
          new Hold(
              "pod %s on node %s ended before it had pulled the driver images: %s"
                  .formatted(pod.name(), pod.node(), text),
              Optional.of(again),
              "it is made anew"));
      if (!pod.terminating() && !now.isBefore(again)) {
        end(pod);
      }
    }

    /// Nobody pulls on a node that has gone, and nobody knows when on one that is not ready; unless
    /// it would be made there again.
    private boolean isStranded(PreflightPool pool, List<UpgradeNode> waiting, PreflightPod pod) {
      boolean ready =
          pool.nodes().stream().anyMatch(node -> node.name().equals(pod.node()) && node.ready());
      boolean there = pool.nodes().stream().anyMatch(node -> node.name().equals(pod.node()));
      boolean others = waiting.stream().anyMatch(UpgradeNode::ready);
      return !pod.terminating() && !ready && (!there || others);
    }

    private void hold(List<UpgradeNode> nodes, Hold hold) {
      nodes.forEach(node -> obstacles.put(node.name(), hold));
    }

    private static String best(List<UpgradeNode> nodes) {
      return nodes.stream()
          .min(
              Comparator.comparing((UpgradeNode node) -> !node.ready())
                  .thenComparing(UpgradeNode::unschedulable)
                  .thenComparing(UpgradeNode::name))
          .orElseThrow()
          .name();
    }

    private static Hold pulling(PreflightPool pool, String node, String text) {
      return Hold.of(
          "%s is being pulled on node %s first (%s)"
              .formatted(image(pool.images().getFirst()), node, text),
          "it may begin once the image is there (FleetPolicy spec.rollout.preflight)");
    }

    private static Hold refused(PreflightPool pool, String node, String container, String text) {
      DriverImage image =
          pool.images().stream()
              .filter(it -> it.container().equals(container))
              .findFirst()
              .orElse(pool.images().getFirst());
      return Hold.of(
          "%s cannot be pulled on node %s: %s".formatted(image(image), node, text),
          image.remedy() + "; the kubelet tries again, and nodes go on once the image is there");
    }

    private static String image(DriverImage image) {
      return image.purpose().isEmpty()
          ? "image " + image.reference()
          : "image %s for %s".formatted(image.reference(), image.purpose());
    }
  }
}
