package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.dra.plan.GpuSide;
import dev.pitcrew.agent.dra.plan.GpuSides;
import java.util.Optional;
import java.util.Set;

/// How the DRA driver of the node stands.
///
/// @param sides which GPUs claims allocate
/// @param partitions the names of the partitions of GPUs that claims have made, or are about to
///   make; empty where MIG devices are not made for claims
/// @param needsDriver whether no other part of the agent may have NVML open, since the MIG mode of
///   a GPU changes for a claim, or its kernel driver
/// @param machines which GPUs claims can give to virtual machines
public record DraState(
    GpuSides sides,
    Serving serving,
    Optional<Set<String>> partitions,
    boolean needsDriver,
    PassthroughDevices.Offer machines) {
  /// Where claims never served a GPU.
  public static final DraState NONE = new DraState(GpuSides.NONE, new Serving.Off());

  public DraState {
    partitions = partitions.map(Set::copyOf);
  }

  public DraState(GpuSides sides, Serving serving) {
    this(sides, serving, Optional.empty(), false, PassthroughDevices.Offer.NONE);
  }

  /// The GPUs, by UUID, whose MIG devices are made for claims: nothing else divides them.
  public Set<String> dividedByClaims() {
    return partitions.isPresent() ? sides.on(side -> side != GpuSide.PLUGIN) : Set.of();
  }

  /// Whether the kubelet can have claims prepared.
  public sealed interface Serving {
    record Off() implements Serving {}

    /// The sockets are there, and the kubelet has not called yet.
    record Waiting() implements Serving {}

    record Registered() implements Serving {}

    record Failed(String reason) implements Serving {}

    /// This process is not the driver: nothing of the driver's state is read or written.
    ///
    /// @param reason which other process is, and what to do
    record Blocked(String reason) implements Serving {}

    /// Whether this process is the driver.
    default boolean isDriver() {
      return switch (this) {
        case Off(), Blocked(_) -> false;
        case Waiting(), Registered(), Failed(_) -> true;
      };
    }

    /// What keeps claims from being prepared by this process.
    default Optional<String> problem() {
      return switch (this) {
        case Off(), Waiting(), Registered() -> Optional.empty();
        case Failed(var reason) -> Optional.of(reason);
        case Blocked(var reason) -> Optional.of(reason);
      };
    }
  }
}
