package dev.pitcrew.operator.upgrade;

import dev.pitcrew.operator.upgrade.UpgradeFailure.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The steps in which a node gets its new driver: the pod is replaced, starts, and is validated.
record DriverSteps(Instant now) {
  /// A driver that is compiled takes many minutes; its own start-up probe gives up after some
  /// twenty-one.
  static final Duration START = Duration.ofMinutes(30);

  /// As in the NVIDIA GPU Operator.
  static final Duration VALIDATION = Duration.ofMinutes(10);

  /// As in the NVIDIA GPU Operator: a container that was restarted more often will not come up.
  static final int MOST_RESTARTS = 10;

  /// Of the time to start, and not worth a write.
  private static final Duration MOMENT = Duration.ofMinutes(1);

  private static final String FAILS = "; at the deadline the node fails, and stays cordoned";

  Move restart(UpgradeNode node) {
    if (node.driver().isEmpty()) {
      return awaited(
          node,
          Stage.DRIVER,
          "node %s has no driver pod: its DaemonSet has not made one yet, or the labels of the node select none"
              .formatted(node.name()));
    }
    DriverPod driver = node.driver().get();
    boolean isWornOut = driver.restarts() > MOST_RESTARTS;
    if (!driver.current() || (isWornOut && node.marks().failure().isPresent())) {
      return replaced(node, driver);
    }
    UpgradeNode loading = node.with(node.marks().withSafeLoad(false).withFailure(Optional.empty()));
    if (!node.ready()) { // what its pods report is out of date
      return awaited(loading, Stage.DRIVER, Absence.sentence(node));
    }
    if (driver.ready()) {
      return Move.on(loading.in(UpgradeState.VALIDATION_REQUIRED, now));
    }
    Stage stage = driver.isKeptOut() ? Stage.NODE : Stage.DRIVER;
    if (isWornOut) {
      return Move.on(
          loading.failed(
              stage,
              "the driver pod %s was restarted %d times: %s"
                  .formatted(driver.name(), driver.restarts(), words(driver)),
              now));
    }
    return awaited(loading, stage, driver.blocker());
  }

  Move validation(UpgradeNode node) {
    if (!node.isCurrent()) { // another driver is wanted by now, or the pod has gone
      return Move.on(
          node.with(node.marks().withValidationSince(Optional.empty()))
              .in(UpgradeState.POD_RESTART_REQUIRED, now));
    }
    UpgradeNode loading = node.with(node.marks().withSafeLoad(false));
    if (!node.ready()) {
      return pending(loading, Absence.sentence(node));
    }
    return switch (node.validation()) {
      case Validation.Passed _ -> Move.on(validated(loading));
      case Validation.Pending(String blocker) -> pending(loading, blocker);
    };
  }

  /// A pod holds its GPU as long as it lives, so that none may be left when the driver goes.
  private Move replaced(UpgradeNode node, DriverPod driver) {
    if (driver.terminating()) {
      return awaited(
          node,
          Stage.NODE,
          node.ready()
              ? "driver pod " + driver.name() + " is ending"
              : Absence.sentence(node) + ", and driver pod " + driver.name() + " cannot end");
    }
    Optional<Move> absent = new Absence(now).untouched(node);
    if (absent.isPresent()) {
      return absent.get();
    }
    Optional<List<NodePod>> holders = node.holders();
    if (holders.filter(List::isEmpty).isEmpty()) {
      return Move.on(node.in(UpgradeState.POD_DELETION_REQUIRED, now));
    }
    UpgradeNode begun = begun(node);
    return Move.stay(
        begun,
        Waiting.until(
            begun.since(now).plus(START),
            "driver pod %s %s"
                .formatted(
                    driver.name(),
                    driver.current() ? "did not come up" : "is of the former driver"),
            "it is deleted, and its DaemonSet makes the new one"),
        List.of(new Effect.DeleteDriver(driver.name())));
  }

  /// The time to start is that of the driver that comes now, and not of one that was wanted before
  /// it, or of an operator that was away.
  private UpgradeNode begun(UpgradeNode node) {
    UpgradeNode another = node.with(node.marks().withSameDriver(false));
    return now.isBefore(node.since(now).plus(MOMENT))
        ? another
        : another.in(UpgradeState.POD_RESTART_REQUIRED, now);
  }

  /// @param stage how far it has come by the deadline
  private Move awaited(UpgradeNode node, Stage stage, String blocker) {
    Instant deadline = node.since(now).plus(START);
    return now.isBefore(deadline)
        ? Move.stay(node, Waiting.until(deadline, blocker, "then the driver is validated" + FAILS))
        : Move.on(
            node.failed(
                stage,
                "%s, %d minutes after the former driver pod was deleted"
                    .formatted(blocker, START.toMinutes()),
                now));
  }

  private Move pending(UpgradeNode node, String blocker) {
    Instant since = node.marks().validationSince().orElse(now);
    Instant deadline = since.plus(VALIDATION);
    return now.isBefore(deadline)
        ? Move.stay(
            node.with(node.marks().withValidationSince(Optional.of(since))),
            Waiting.until(deadline, blocker, "then the node is uncordoned" + FAILS))
        : Move.on(node.failed(Stage.DRIVER, "the new driver was not validated: " + blocker, now));
  }

  private UpgradeNode validated(UpgradeNode node) {
    return node.with(node.marks().withValidationSince(Optional.empty()))
        .in(UpgradeState.UNCORDON_REQUIRED, now);
  }

  private static String words(DriverPod driver) {
    return driver.trouble().map(DriverPod.Trouble::words).orElse("not ready yet");
  }
}
