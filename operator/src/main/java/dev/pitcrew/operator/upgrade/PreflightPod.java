package dev.pitcrew.operator.upgrade;

import java.time.Instant;

/// A pod that pulls driver images, as it was observed.
///
/// @param node where it pulls
/// @param created when it was made
/// @param terminating whether it has been deleted and is ending
public record PreflightPod(
    PodName name, String node, Instant created, boolean terminating, Pull pull) {

  /// How far it is.
  public sealed interface Pull {

    /// The node has all images.
    record Done() implements Pull {}

    /// Not reported yet.
    ///
    /// @param text how far it is, in the words of the kubelet
    record UnderWay(String text) implements Pull {}

    /// The registry did not give an image. The kubelet goes on trying.
    ///
    /// @param container whose image it is
    record Refused(String container, String text) implements Pull {}

    /// The pod ended without having pulled, which says nothing of the images.
    record Lost(String text) implements Pull {}
  }
}
