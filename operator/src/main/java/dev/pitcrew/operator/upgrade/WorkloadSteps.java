package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import dev.pitcrew.operator.upgrade.UpgradeFailure.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/// The steps in which a node gets free of pods: jobs may finish, pods that hold GPUs are evicted,
/// and, if that does not succeed and the policy allows it, the node is drained.
record WorkloadSteps(UpgradePolicySpec policy, Instant now) {
  /// A longer timeout means no deadline.
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  /// A scheduler may be that late to see a cordon, and clocks differ by that much.
  private static final Duration LAG = Duration.ofSeconds(5);

  private static final String BACK =
      "came to the node in spite of its cordon, and would come again: have its controller no longer"
          + " tolerate node.kubernetes.io/unschedulable, or set spec.nodeName, or scale it down";
  private static final String REPLACED = "then the driver pod is replaced";
  private static final Waiting LISTING =
      Waiting.of("the pods of the node are being listed", "it goes on as soon as they are known");

  Move jobs(UpgradeNode node) {
    if (policy.waitForCompletion().podSelectorOrDefault().isBlank()) {
      return toDeletion(node);
    }
    Optional<String> unreadable = PodSelectors.ofJobs(policy);
    if (unreadable.isPresent()) {
      return unreadable(node, unreadable.get());
    }
    if (node.pods().isEmpty()) {
      return Move.stay(node, LISTING);
    }
    List<NodePod> running = select(node, NodePod::job);
    Instant since = node.marks().jobsSince().orElse(now);
    Optional<Instant> deadline = deadline(since, policy.waitForCompletion().timeout());
    if (running.isEmpty() || isOver(deadline)) {
      return toDeletion(node);
    }
    return Move.stay(
        node.with(node.marks().withJobsSince(Optional.of(since))),
        new Waiting(
            sentence(running, "is still running"),
            deadline,
            "then pods that hold GPUs are evicted"
                + atDeadline(deadline, "waitForCompletion", "they are evicted all the same")));
  }

  Move deletion(UpgradeNode observed) {
    if (observed.pods().isEmpty()) {
      return Move.stay(observed, LISTING);
    }
    List<NodePod> holders = select(observed, NodePod::holdsGpu);
    if (holders.isEmpty()) {
      return Move.on(observed.in(UpgradeState.POD_RESTART_REQUIRED, now));
    }
    var rules =
        new Rules(
            "podDeletion",
            policy.podDeletion().isForced(),
            policy.podDeletion().isDeletingEmptyDir(),
            policy.podDeletion().timeout());
    UpgradeNode node = begun(observed, rules);
    Optional<String> obstacle = obstacle(node, holders, rules);
    if (obstacle.isPresent()) {
      return policy.drain().isEnabled()
          ? Move.on(node.in(UpgradeState.DRAIN_REQUIRED, now))
          : Move.on(node.failed(Stage.WORKLOAD, obstacle.get(), now));
    }
    return evict(
        node, holders, rules, policy.drain().isEnabled() ? "the node is drained" : retried(node));
  }

  Move drain(UpgradeNode observed) {
    if (!policy.drain().isEnabled()) {
      return Move.on(observed.in(UpgradeState.POD_RESTART_REQUIRED, now));
    }
    Optional<String> unreadable = PodSelectors.ofDrain(policy);
    if (unreadable.isPresent()) {
      return unreadable(observed, unreadable.get());
    }
    if (observed.pods().isEmpty()) {
      return Move.stay(observed, LISTING);
    }
    var rules =
        new Rules(
            "drain",
            policy.drain().isForced(),
            policy.drain().isDeletingEmptyDir(),
            policy.drain().timeout());
    UpgradeNode node = begun(observed, rules);
    List<NodePod> staying =
        select(node, pod -> pod.holdsGpu() && !pod.terminating() && !isMoved(pod));
    if (!staying.isEmpty()) { // and would keep the driver from being unloaded in any case
      return Move.on(
          node.failed(
              Stage.WORKLOAD,
              sentence(
                  staying,
                  "holds a GPU and no drain moves it: delete it, or see upgradePolicy.drain.podSelector"),
              now));
    }
    List<NodePod> leaving =
        select(node, pod -> pod.holdsGpu() || (isMoved(pod) && !isBack(node, pod)));
    if (leaving.isEmpty()) { // as in kubectl drain, a pod that comes later may stay
      return Move.on(node.in(UpgradeState.POD_RESTART_REQUIRED, now));
    }
    return obstacle(node, leaving, rules)
        .map(text -> Move.on(node.failed(Stage.WORKLOAD, text, now)))
        .orElseGet(() -> evict(node, leaving, rules, retried(node)));
  }

  /// No deadline runs out meanwhile: else the error would evict pods, or give up.
  private static Move unreadable(UpgradeNode node, String problem) {
    return Move.stay(
        node, Waiting.of(problem, "it goes on once that can be read; no pod is evicted meanwhile"));
  }

  private static String retried(UpgradeNode node) {
    return "the node is given back to its pods, and tried again %d minutes later"
        .formatted(UpgradeSteps.pause(node.marks().tries() + 1).toMinutes());
  }

  private static boolean isMoved(NodePod pod) {
    return pod.drained() && !pod.staysOnItsNode();
  }

  private Move toDeletion(UpgradeNode node) {
    return Move.on(
        node.with(node.marks().withJobsSince(Optional.empty()))
            .in(UpgradeState.POD_DELETION_REQUIRED, now));
  }

  /// Whether a pod was put on the node though it is cordoned. Its next one would be, too, so that
  /// an eviction would move nothing.
  private boolean isBack(UpgradeNode node, NodePod pod) {
    return pod.owner() == Owner.CONTROLLER && pod.created().isAfter(node.since(now).plus(LAG));
  }

  /// @param late what becomes of the node if the pods stay where they are
  private Move evict(UpgradeNode node, List<NodePod> pods, Rules rules, String late) {
    Optional<Instant> deadline = deadline(node, rules);
    List<Effect> effects =
        pods.stream()
            .filter(pod -> !pod.terminating() && !isBack(node, pod))
            .<Effect>map(pod -> new Effect.Evict(pod.name()))
            .toList();
    String blocker = blocker(node, pods).orElseGet(() -> sentence(pods, "is being evicted"));
    String next = REPLACED + atDeadline(deadline, rules.field(), late);
    return Move.stay(node.withPodsAsked(), new Waiting(blocker, deadline, next), effects);
  }

  /// Whether pods without a controller may be lost, and data with them, and how long they have.
  ///
  /// @param field of the upgradePolicy that says so
  private record Rules(String field, boolean force, boolean deleteEmptyDir, Duration timeout) {}

  /// What becomes of it if the pods stay where they are.
  private static String atDeadline(Optional<Instant> deadline, String field, String then) {
    return deadline.isPresent()
        ? "; at the deadline (upgradePolicy.%s.timeoutSeconds) %s".formatted(field, then)
        : "; there is no deadline (upgradePolicy.%s.timeoutSeconds)".formatted(field);
  }

  /// Who does not go, and why.
  private Optional<String> blocker(UpgradeNode node, List<NodePod> pods) {
    List<NodePod> back =
        pods.stream().filter(pod -> !pod.terminating() && isBack(node, pod)).toList();
    return pods.stream()
        .flatMap(pod -> pod.refusal().stream())
        .findFirst()
        .or(() -> Optional.of(back).filter(it -> !it.isEmpty()).map(it -> sentence(it, BACK)));
  }

  /// Why the pods cannot be evicted, or have not gone in time.
  private Optional<String> obstacle(UpgradeNode node, List<NodePod> pods, Rules rules) {
    for (NodePod pod : pods) {
      Optional<String> obstacle = obstacle(pod, rules);
      if (!pod.terminating() && obstacle.isPresent()) {
        return obstacle.map(text -> "pod " + pod.name() + " " + text);
      }
    }
    return late(node, pods, rules);
  }

  private Optional<String> late(UpgradeNode node, List<NodePod> pods, Rules rules) {
    return isOver(deadline(node, rules))
        ? blocker(node, pods)
            .or(() ->
                Optional.of(
                    sentence(
                        pods,
                        "has not ended within %d seconds; see its finalizers and its grace period"
                            .formatted(rules.timeout().toSeconds()))))
        : Optional.empty();
  }

  private static Optional<String> obstacle(NodePod pod, Rules rules) {
    if (pod.owner() == Owner.DAEMON_SET) {
      return Optional.of(
          "is of a DaemonSet, which would make it again at once: remove it from the node");
    }
    if (pod.owner() == Owner.NODE) {
      return Optional.of("is run by the kubelet from a file of the node: remove it there");
    }
    if (pod.owner() == Owner.NONE && !rules.force()) {
      return Optional.of(
          "has no controller that would make it again: delete it, or set upgradePolicy.%s.force"
              .formatted(rules.field()));
    }
    return pod.emptyDir() && !rules.deleteEmptyDir()
        ? Optional.of(
            "has data in an emptyDir volume: delete it, or set upgradePolicy.%s.deleteEmptyDir"
                .formatted(rules.field()))
        : Optional.empty();
  }

  private boolean isOver(Optional<Instant> deadline) {
    return deadline.filter(it -> !now.isBefore(it)).isPresent();
  }

  /// A deadline that ran out while no operator asked the pods to go starts again, with its state,
  /// when one does. One that has time left does not, so that an operator that is killed every
  /// minute fails a node as well, unless it is down at each of its deadlines.
  private UpgradeNode begun(UpgradeNode node, Rules rules) {
    return node.podsAsked() || !isOver(deadline(node, rules)) ? node : node.in(node.state(), now);
  }

  /// Since when pods could have gone: not while the node was away, though one that comes and goes
  /// does not put it off for ever.
  private Instant since(UpgradeNode node) {
    Instant since = node.since(now);
    Instant back = node.readiness().sinceAtLeast(since);
    Instant latest = since.plus(Absence.TIMEOUT);
    return back.isBefore(latest) ? back : latest;
  }

  private Optional<Instant> deadline(UpgradeNode node, Rules rules) {
    return deadline(since(node), rules.timeout());
  }

  private static Optional<Instant> deadline(Instant since, Duration timeout) {
    return timeout.isZero() || timeout.compareTo(FOR_EVER) > 0
        ? Optional.empty()
        : Optional.of(since.plus(timeout));
  }

  private static List<NodePod> select(UpgradeNode node, Predicate<NodePod> which) {
    return node.pods().orElseThrow().stream().filter(which).toList();
  }

  private static String sentence(List<NodePod> pods, String what) {
    String first = "pod " + pods.getFirst().name() + " " + what;
    return pods.size() == 1 ? first : first + ", and " + (pods.size() - 1) + " more";
  }
}
