package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.Optional;

/// The driver pod of a node, and whether it is what its DaemonSet asks for.
///
/// @param current whether it runs the driver that is wanted, by the digest of its configuration,
///   which shows whether a driver must be loaded again; always where the DaemonSet has none
/// @param daemonSet name of the DaemonSet that it is of
/// @param digest of the driver that it has; empty where it reports none
/// @param target digest of the driver that is wanted; empty where the DaemonSet has none
/// @param terminating whether it has been deleted and is ending
/// @param ready whether it runs and all of its containers are ready
/// @param readySince when it came to be ready, where it is and that is known
/// @param restarts of that container that is not ready and was restarted most
/// @param trouble what holds it up
/// @param rollback what is recorded on its DaemonSet of a driver that was rolled back
public record DriverPod(
    PodName name,
    boolean current,
    String daemonSet,
    String digest,
    String target,
    boolean terminating,
    boolean ready,
    Optional<Instant> readySince,
    int restarts,
    Optional<Trouble> trouble,
    Optional<Rollback> rollback) {

  /// What holds a pod up.
  ///
  /// @param words of the kubelet, or of one of its containers
  public record Trouble(Kind kind, String words) {
    public enum Kind {
      /// The driver manager reports what it waits for, or what an administrator has to do.
      MANAGER,
      /// The driver manager has failed, and left no word.
      MANAGER_FAILED,
      /// The driver manager takes its time.
      MANAGER_AT_WORK,
      /// It does not proceed without intervention.
      STUCK,
      /// It takes its time.
      ON_ITS_WAY;

      private boolean isManager() {
        return switch (this) {
          case MANAGER, MANAGER_FAILED, MANAGER_AT_WORK -> true;
          case STUCK, ON_ITS_WAY -> false;
        };
      }

      private boolean isHeldUp() {
        return switch (this) {
          case MANAGER, MANAGER_FAILED, STUCK -> true;
          case MANAGER_AT_WORK, ON_ITS_WAY -> false;
        };
      }
    }
  }

  /// In the place of one that is not there yet.
  static final DriverPod NONE =
      new DriverPod(
          new PodName("", "", ""),
          false,
          "",
          "",
          "",
          false,
          false,
          Optional.empty(),
          0,
          Optional.empty(),
          Optional.empty());

  /// The same where another driver may be wanted.
  ///
  /// @param digest of the one that is
  public DriverPod asked(String digest, boolean isCurrent) {
    return new DriverPod(
        name,
        isCurrent,
        daemonSet,
        this.digest,
        digest,
        terminating,
        ready,
        readySince,
        restarts,
        trouble,
        rollback);
  }

  /// Why the driver that is wanted is not available, where it was rolled back and its DaemonSet
  /// still asks for it.
  Optional<String> rejection() {
    return rollback.filter(it -> it.rejected().equals(target)).map(Rollback::why);
  }

  /// What a node waits for with it. The manager speaks of the node, and not of its pod.
  String blocker() {
    return trouble
        .map(it ->
            it.kind() == Trouble.Kind.MANAGER
                ? it.words()
                : "driver pod %s: %s".formatted(name, it.words()))
        .orElseGet(() -> "driver pod %s: not ready yet".formatted(name));
  }

  /// Whether its driver manager has not made room for the driver, which thus never ran.
  boolean isKeptOut() {
    return trouble.map(Trouble::kind).filter(Trouble.Kind::isManager).isPresent();
  }

  /// Whether a user should know.
  public boolean isHeldUp() {
    return trouble.map(Trouble::kind).filter(Trouble.Kind::isHeldUp).isPresent();
  }

  /// As it is once it runs the driver that is wanted.
  DriverPod installed() {
    return new DriverPod(
        name,
        true,
        daemonSet,
        target,
        target,
        false,
        true,
        readySince,
        0,
        Optional.empty(),
        rollback);
  }
}
