package dev.pitcrew.operator.upgrade;

import java.time.Instant;
import java.util.Optional;

/// A pod of a node that has not ended, as an upgrade looks at it.
///
/// @param holdsGpu whether GPUs, or parts of them, are allocated to it
/// @param job whether it is one that `waitForCompletion.podSelector` lets finish
/// @param drained whether `drain.podSelector` selects it
/// @param owner what creates it again, or keeps it running
/// @param emptyDir whether data of it is lost with it
/// @param terminating whether it has been deleted and is ending
/// @param refusal why its eviction was refused the last time
/// @param created when it was made
public record NodePod(
    PodName name,
    boolean holdsGpu,
    boolean job,
    boolean drained,
    Owner owner,
    boolean emptyDir,
    boolean terminating,
    Optional<String> refusal,
    Instant created) {

  /// What becomes of a pod that is evicted.
  public enum Owner {
    /// A controller makes another, elsewhere.
    CONTROLLER,
    /// The DaemonSet controller makes it again at the same place: an eviction moves nothing.
    DAEMON_SET,
    /// The kubelet runs it from a file of the node: it cannot be evicted.
    NODE,
    /// No controller creates it again.
    NONE
  }

  boolean staysOnItsNode() {
    return owner == Owner.DAEMON_SET || owner == Owner.NODE;
  }
}
