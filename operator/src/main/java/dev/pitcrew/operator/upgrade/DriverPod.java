package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.Optional;

/// The driver pod of a node, and whether it is what its DaemonSet asks for.
///
/// @param current whether it runs the driver that is wanted, by the digest of its configuration,
///   which says whether a driver has to be loaded anew; always where the DaemonSet has none
/// @param daemonSet name of the DaemonSet that it is of
/// @param digest of the driver that it has; empty where it tells none
/// @param target digest of the driver that is wanted; empty where the DaemonSet has none
/// @param terminating whether it has been deleted and is ending
/// @param ready whether it runs and all of its containers are ready
/// @param readySince when it came to be ready, where it is and that is known
/// @param restarts of that container that is not ready and was restarted most
/// @param trouble what holds it up
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
    Optional<Trouble> trouble) {

  /// What holds a pod up.
  ///
  /// @param words of the kubelet, or of one of its containers
  public record Trouble(Kind kind, String words) {
    public enum Kind {
      /// The driver manager says whom it waits for, or what a person has to do.
      MANAGER,
      /// It will not move on by itself.
      STUCK,
      /// It takes its time.
      ON_ITS_WAY
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
        trouble);
  }

  /// What a node waits for with it. The manager speaks of the node, and not of its pod.
  String blocker() {
    return trouble
        .map(it -> isKeptOut() ? it.words() : "driver pod %s: %s".formatted(name, it.words()))
        .orElseGet(() -> "driver pod %s: not ready yet".formatted(name));
  }

  /// Whether its driver manager cannot make room for the driver.
  boolean isKeptOut() {
    return trouble.filter(it -> it.kind() == Trouble.Kind.MANAGER).isPresent();
  }

  /// Whether somebody should know.
  public boolean isHeldUp() {
    return trouble.filter(it -> it.kind() != Trouble.Kind.ON_ITS_WAY).isPresent();
  }

  /// As it is once it runs the driver that is wanted.
  DriverPod installed() {
    return new DriverPod(
        name, true, daemonSet, target, target, false, true, readySince, 0, Optional.empty());
  }
}
