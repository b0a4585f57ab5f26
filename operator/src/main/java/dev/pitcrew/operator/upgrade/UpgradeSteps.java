package dev.pitcrew.operator.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.core.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BiFunction;

/// The state machine of one node: what each state does, and where it leads. Every state looks at
/// what is there and not at how it came to be, so that any of them may be taken up by a new
/// operator, or by hand.
record UpgradeSteps(UpgradePolicySpec policy, Instant now) {
  private static final Backoff PAUSES = new Backoff(Duration.ofMinutes(10), Duration.ofHours(2));

  /// How long a node whose pods would not go is left to them: longer with each time that others of
  /// them were evicted for nothing.
  ///
  /// @param tries how often that was
  static Duration pause(int tries) {
    return PAUSES.ceiling(Math.max(1, tries));
  }

  Move step(UpgradeNode node) {
    return switch (node.state()) {
      case UNKNOWN, DONE -> settled(node);
      case UPGRADE_REQUIRED -> required(node);
      case CORDON_REQUIRED -> Move.on(node.cordoned().in(UpgradeState.WAIT_FOR_JOBS_REQUIRED, now));
      case WAIT_FOR_JOBS_REQUIRED -> workload(node, WorkloadSteps::jobs);
      case POD_DELETION_REQUIRED -> workload(node, WorkloadSteps::deletion);
      case DRAIN_REQUIRED -> workload(node, WorkloadSteps::drain);
      case POD_RESTART_REQUIRED -> new DriverSteps(now).restart(node.cordoned());
      case VALIDATION_REQUIRED -> new DriverSteps(now).validation(node.cordoned());
      case UNCORDON_REQUIRED ->
          Move.on(node.uncordoned().in(UpgradeState.DONE, now).with(done(node)));
      case FAILED -> failed(node);
    };
  }

  private Move workload(UpgradeNode node, BiFunction<WorkloadSteps, UpgradeNode, Move> step) {
    UpgradeNode cordoned = node.cordoned();
    if (isSpared(cordoned)) {
      return Move.on(cordoned.in(UpgradeState.POD_RESTART_REQUIRED, now));
    }
    return new Absence(now)
        .untouched(cordoned)
        .orElseGet(() -> step.apply(new WorkloadSteps(policy, now), cordoned));
  }

  /// Whether no pod has to leave any more, as the driver that the node has is the one that is
  /// wanted: a user restored the former one, or a rollback for another node did.
  private static boolean isSpared(UpgradeNode node) {
    return node.ready()
        && isServed(node)
        && !node.marks().sameDriver()
        && node.marks().failure().isEmpty();
  }

  private static boolean isServed(UpgradeNode node) {
    return !needsUpgrade(node) && node.driver().filter(DriverPod::ready).isPresent();
  }

  /// Lets a node begin, once [StartGate] has found a place for it.
  UpgradeNode start(UpgradeNode node) {
    boolean cordonedByOthers = node.unschedulable() && !node.marks().cordoned();
    Optional<UpgradeFailure> failure =
        node.marks()
            .failure()
            .filter(it -> node.isCurrent() && it.accuses(node.driver().map(DriverPod::target)));
    boolean isSame = node.isCurrent() && !node.marks().waitsForSafeLoad() && failure.isEmpty();
    return node.with(
            node.marks()
                .withRequested(false)
                .withFailure(failure)
                .withWasUnschedulable(cordonedByOthers)
                .withSameDriver(isSame))
        .in(UpgradeState.CORDON_REQUIRED, now);
  }

  private Move settled(UpgradeNode node) {
    if (isFailed(node)) { // its label went by hand, and says nothing of the driver
      return Move.on(node.in(UpgradeState.FAILED, now));
    }
    if (node.driver().isEmpty()) { // as between two of them, if its label went meanwhile
      return node.marks().cordoned()
          ? Move.on(node.in(UpgradeState.POD_RESTART_REQUIRED, now))
          : Move.stay(node, Waiting.NONE);
    }
    if (needsUpgrade(node) && node.marks().cordoned()) { // it has its place already
      return Move.on(start(node));
    }
    if (needsUpgrade(node)) {
      return Move.on(
          node.with(node.marks().withWasUnschedulable(node.unschedulable()))
              .in(UpgradeState.UPGRADE_REQUIRED, now));
    }
    if (node.marks().cordoned()) { // its label went by hand while it was under way
      return Move.on(node.in(UpgradeState.POD_RESTART_REQUIRED, now));
    }
    return node.state() == UpgradeState.DONE
        ? Move.stay(node.with(node.marks().remembered()), Waiting.NONE)
        : Move.on(node.in(UpgradeState.DONE, now).with(UpgradeMarks.NONE));
  }

  /// Whether an unrepaired failure is recorded, for which the node was not handed back.
  private static boolean isFailed(UpgradeNode node) {
    return node.state() != UpgradeState.UPGRADE_REQUIRED
        && node.marks()
            .failure()
            .filter(it -> it.stage() != UpgradeFailure.Stage.WORKLOAD)
            .isPresent();
  }

  /// [StartGate] lets it go, if it still has to: a driver that was restored by a rollback, or by a
  /// user, is the one that the node has had all along, and no pod has to leave for it.
  private Move required(UpgradeNode node) {
    return isServed(node) ? settled(node) : Move.stay(node, Waiting.NONE);
  }

  private static boolean needsUpgrade(UpgradeNode node) {
    return !node.isCurrent() || node.marks().requested() || node.marks().waitsForSafeLoad();
  }

  /// A failure is over when its cause is: another driver is wanted, a user asks, it is time to ask
  /// the pods once more, or the driver has come up after all.
  private Move failed(UpgradeNode node) {
    Optional<UpgradeFailure> failure = node.marks().failure();
    if (node.driver().isPresent() && needsUpgrade(node) && isAnother(node, failure)) {
      return Move.on(node.owned().in(UpgradeState.UPGRADE_REQUIRED, now));
    }
    if (node.isCurrent()
        && node.ready()
        && node.driver().filter(DriverPod::ready).isPresent()
        && node.validation() instanceof Validation.Passed) {
      return Move.on(
          node.with(node.marks().withFailure(Optional.empty()))
              .in(UpgradeState.UNCORDON_REQUIRED, now));
    }
    return Move.stay(node, waiting(node, failure));
  }

  /// A failure without a record comes from the NVIDIA GPU Operator; nothing else is known of it.
  private boolean isAnother(UpgradeNode node, Optional<UpgradeFailure> failure) {
    String target = node.driver().map(DriverPod::target).orElse("");
    return failure.filter(it -> it.target().equals(target)).isEmpty()
        || node.marks().requested()
        || isRetried(node, failure);
  }

  private boolean isRetried(UpgradeNode node, Optional<UpgradeFailure> failure) {
    return failure.filter(it -> it.stage() == UpgradeFailure.Stage.WORKLOAD).isPresent()
        && !now.isBefore(retry(node));
  }

  private Instant retry(UpgradeNode node) {
    return node.since(now).plus(pause(node.marks().tries()));
  }

  private Waiting waiting(UpgradeNode node, Optional<UpgradeFailure> failure) {
    String blocker = failure.map(UpgradeFailure::message).orElse("the upgrade failed");
    return switch (failure.map(UpgradeFailure::stage).orElse(UpgradeFailure.Stage.DRIVER)) {
      case WORKLOAD ->
          Waiting.until(retry(node), blocker, "it is tried again; the former driver runs on");
      case NODE ->
          Waiting.of(
              blocker,
              "free the node of what keeps its former driver loaded, or reboot it; "
                  + resumed(node));
      case DRIVER -> Waiting.of(blocker, resumed(node));
    };
  }

  private static String resumed(UpgradeNode node) {
    return "the node stays cordoned; it goes on automatically once the driver pod is ready and validated, or once another"
        + " driver is wanted. To try again: kubectl annotate node %s %s=true"
            .formatted(node.name(), UpgradeMarks.REQUESTED);
  }

  private UpgradeMarks done(UpgradeNode node) {
    return node.marks()
        .remembered()
        .withSince(Optional.of(now))
        .withRequested(node.marks().requested());
  }
}
