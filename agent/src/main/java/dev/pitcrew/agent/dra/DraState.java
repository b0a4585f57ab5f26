package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.dra.plan.GpuSides;

/// How the DRA driver of the node stands.
///
/// @param sides which GPUs claims allocate
public record DraState(GpuSides sides, Serving serving) {
  /// Where claims never served a GPU.
  public static final DraState NONE = new DraState(GpuSides.NONE, new Serving.Off());

  /// Whether the kubelet can have claims prepared.
  public sealed interface Serving {
    record Off() implements Serving {}

    /// The sockets are there, and the kubelet has not called yet.
    record Waiting() implements Serving {}

    record Registered() implements Serving {}

    record Failed(String reason) implements Serving {}
  }
}
