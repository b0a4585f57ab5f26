package dev.pitcrew.operator.upgrade;

/// What is done beside the change of a node, once that change was written.
public sealed interface Effect {

  /// Asks for a pod to be moved, which its disruption budget may refuse.
  record Evict(PodName pod) implements Effect {}

  /// Deletes the driver pod, so that its DaemonSet makes one of the new kind.
  record DeleteDriver(PodName pod) implements Effect {}
}
