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
import java.util.stream.Stream;

/// Which images are pulled where before a node begins: a function of the pods that pull, and of the
/// nodes. A pod is kept as long as nodes of its pool wait, since it is the only memory of its
/// result; then it goes. One pod is enough for a pool; there is a second where the node of the
/// first cannot pull.
///
/// @param starts pods to make
/// @param ends pods to delete
/// @param obstacles why nodes have to wait, by name
public record PreflightPlan(List<Start> starts, List<PodName> ends, Map<String, Hold> obstacles) {
  /// A pod that ended without having pulled is replaced this long after it was made.
  static final Duration RETRY = Duration.ofMinutes(1);

  /// How long a node may take that has not pulled an image, or that says that it cannot: it may be
  /// the node.
  static final Duration TIMEOUT = Duration.ofMinutes(5);

  /// A pod to make.
  ///
  /// @param pod its name
  public record Start(PreflightPool pool, String pod, String node) {}

  /// Nothing is wanted.
  public static final PreflightPlan NONE = new PreflightPlan(List.of(), List.of(), Map.of());

  public PreflightPlan {
    starts = List.copyOf(starts);
    ends = List.copyOf(ends);
    obstacles = Map.copyOf(obstacles);
  }

  public static PreflightPlan of(
      List<PreflightPool> pools, List<PreflightPod> pods, RolloutSpec rollout, Instant now) {
    boolean wanted = rollout.isPreflighted() && !rollout.isPaused() && !rollout.isDryRun();
    var drafts = new Drafts(now, wanted);
    Map<String, PreflightPod> left = new HashMap<>();
    pods.forEach(pod -> left.put(pod.name().name(), pod));
    for (PreflightPool pool : pools) {
      List<UpgradeNode> waiting = pool.waiting();
      if (rollout.isPreflighted() && !waiting.isEmpty()) {
        drafts.take(
            pool,
            waiting,
            Stream.of(pool.pod(), pool.secondPod())
                .flatMap(name -> Optional.ofNullable(left.remove(name)).stream())
                .toList());
      }
    }
    left.values().forEach(drafts::end);
    return new PreflightPlan(drafts.starts, drafts.ends, drafts.obstacles);
  }

  /// The same, with a hold on the nodes of those pods that the API server refused.
  ///
  /// @param refusals why, by the name of the pod
  public PreflightPlan withRefusals(Map<String, String> refusals) {
    Map<String, Hold> all = new HashMap<>(obstacles);
    for (Start start : starts) {
      Optional.ofNullable(refusals.get(start.pod()))
          .map(why -> refusal(start, why))
          .ifPresent(hold -> start.pool().waiting().forEach(node -> all.put(node.name(), hold)));
    }
    return new PreflightPlan(starts, ends, all);
  }

  private static Hold refusal(Start start, String why) {
    return Hold.of(
        "the API server refused pod %s, which would pull driver images on node %s: %s"
            .formatted(start.pod(), start.node(), why),
        "it is tried again every ten seconds; allow the pod, or set FleetPolicy spec.rollout.preflight to false");
  }

  private static final class Drafts {
    private final Instant now;
    private final boolean wanted;
    private final List<Start> starts = new ArrayList<>();
    private final List<PodName> ends = new ArrayList<>();
    private final Map<String, Hold> obstacles = new HashMap<>();

    /// @param wanted whether pods may be made
    Drafts(Instant now, boolean wanted) {
      this.now = now;
      this.wanted = wanted;
    }

    /// @param tries the pods of the pool
    void take(PreflightPool pool, List<UpgradeNode> waiting, List<PreflightPod> tries) {
      if (tries.stream().anyMatch(pod -> pod.pull() instanceof Pull.Done)) {
        for (PreflightPod pod : tries) {
          hold(
              waiting.stream().filter(node -> node.name().equals(pod.node())).toList(),
              refused(pool, List.of(pod), Optional.empty()));
        }
        return;
      }
      Optional<Instant> next = next(waiting, tries);
      hold(waiting, refused(pool, tries, next));
      tries.forEach(pod -> follow(pool, waiting, pod, next));
      if (wanted && (tries.isEmpty() || next.filter(at -> !now.isBefore(at)).isPresent())) {
        start(pool, waiting, tries);
      }
    }

    void end(PreflightPod pod) {
      if (!pod.terminating()) {
        ends.add(pod.name());
      }
    }

    private void start(PreflightPool pool, List<UpgradeNode> waiting, List<PreflightPod> tries) {
      boolean isFirst = tries.stream().noneMatch(pod -> pod.name().name().equals(pool.pod()));
      String node = best(untried(waiting, tries));
      starts.add(new Start(pool, isFirst ? pool.pod() : pool.secondPod(), node));
      hold(waiting, Optional.of(pulling(pool, node, "it has just begun", Optional.empty())));
    }

    private void follow(
        PreflightPool pool, List<UpgradeNode> waiting, PreflightPod pod, Optional<Instant> next) {
      switch (pod.pull()) {
        case Pull.Done _ -> {}
        case Pull.Refused _ -> endIfStranded(pool, waiting, pod);
        case Pull.UnderWay(String text) -> {
          hold(waiting, Optional.of(pulling(pool, pod.node(), text, next)));
          endIfStranded(pool, waiting, pod);
        }
        case Pull.Lost(String text) -> lost(waiting, pod, text);
      }
    }

    private void lost(List<UpgradeNode> waiting, PreflightPod pod, String text) {
      Instant again = pod.created().plus(RETRY);
      hold(
          waiting,
          Optional.of(
              new Hold(
                  "pod %s on node %s ended before it had pulled the driver images: %s"
                      .formatted(pod.name(), pod.node(), text),
                  Optional.of(again),
                  "it is created again")));
      if (!now.isBefore(again)) {
        end(pod);
      }
    }

    /// When the images are to be pulled on another node, too, if there is one.
    private Optional<Instant> next(List<UpgradeNode> waiting, List<PreflightPod> tries) {
      boolean isAnother = untried(waiting, tries).stream().anyMatch(UpgradeNode::ready);
      return tries.size() == 1 && isAnother
          ? Optional.of(tries.getFirst().created().plus(timeout(tries.getFirst())))
          : Optional.empty();
    }

    private static Duration timeout(PreflightPod pod) {
      return pod.pull() instanceof Pull.Lost ? RETRY : TIMEOUT;
    }

    private static List<UpgradeNode> untried(List<UpgradeNode> nodes, List<PreflightPod> tries) {
      return nodes.stream()
          .filter(node -> tries.stream().noneMatch(pod -> pod.node().equals(node.name())))
          .toList();
    }

    /// Ends a pod whose node is gone, or whose node is not ready or no longer waits while another
    /// node that waits is ready.
    private void endIfStranded(PreflightPool pool, List<UpgradeNode> waiting, PreflightPod pod) {
      boolean helps =
          waiting.stream().anyMatch(node -> node.name().equals(pod.node()) && node.ready());
      boolean there = pool.nodes().stream().anyMatch(node -> node.name().equals(pod.node()));
      boolean others = waiting.stream().anyMatch(UpgradeNode::ready);
      if (!helps && (!there || others)) {
        end(pod);
      }
    }

    private void hold(List<UpgradeNode> nodes, Optional<Hold> hold) {
      hold.ifPresent(it -> nodes.forEach(node -> obstacles.put(node.name(), it)));
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

    /// @param next when it is tried on another node, too
    private static Hold pulling(
        PreflightPool pool, String node, String text, Optional<Instant> next) {
      return new Hold(
          "%s is being pulled on node %s first (%s)"
              .formatted(image(pool.images().getFirst()), node, text),
          next,
          "it may begin once the image is there (FleetPolicy spec.rollout.preflight)%s"
              .formatted(
                  next.isPresent() ? "; at the deadline it is pulled on another node, too" : ""));
    }

    /// What could not be pulled where; empty where no pull was refused.
    ///
    /// @param next when it is tried on another node
    private static Optional<Hold> refused(
        PreflightPool pool, List<PreflightPod> tries, Optional<Instant> next) {
      List<String> words = new ArrayList<>();
      String remedy = "";
      for (PreflightPod pod : tries) {
        if (pod.pull() instanceof Pull.Refused(String container, String text)) {
          DriverImage image = image(pool, container);
          words.add(
              words.isEmpty()
                  ? "%s cannot be pulled on node %s: %s".formatted(image(image), pod.node(), text)
                  : "nor on node %s: %s".formatted(pod.node(), text));
          remedy = image.remedy();
        }
      }
      return words.isEmpty()
          ? Optional.empty()
          : Optional.of(
              new Hold(
                  String.join("; ", words),
                  next,
                  "%s; the kubelet tries again%s, and nodes go on once the image is there"
                      .formatted(
                          remedy,
                          next.isPresent() ? ", at the deadline on another node, too" : "")));
    }

    private static DriverImage image(PreflightPool pool, String container) {
      return pool.images().stream()
          .filter(it -> it.container().equals(container))
          .findFirst()
          .orElse(pool.images().getFirst());
    }

    private static String image(DriverImage image) {
      return image.purpose().isEmpty()
          ? "image " + image.reference()
          : "image %s for %s".formatted(image.reference(), image.purpose());
    }
  }
}
