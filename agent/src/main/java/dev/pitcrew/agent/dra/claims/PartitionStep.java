package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.device.dra.ClaimDevice.MigPart;
import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.inventory.Gpu;
import java.util.Optional;
import java.util.Set;

/// Makes the MIG devices of claims and removes them. A call that does not succeed leaves the GPU as
/// it was, or says that it could not.
public interface PartitionStep {
  sealed interface Result {
    record Found(MigPart device) implements Result {}

    /// @param reason names the GPU and the cause
    /// @param isLeft whether the GPU may not be as it was, since the rollback failed, too
    record Failed(String reason, boolean isLeft) implements Result {
      Failed(String reason) {
        this(reason, false);
      }
    }
  }

  /// Makes a GPU instance at its place, with one compute instance that takes all of it. Where the
  /// GPU is not in MIG mode it changes the mode first, which no process on the GPU may hinder.
  Result make(Partition wanted);

  /// The MIG device that is there already.
  Result find(Partition wanted);

  /// Removes the GPU instance of this profile at this place, and turns MIG mode off with the last
  /// instance of the GPU. What is not there is removed.
  ///
  /// @return why it is still there
  Optional<String> remove(OwnPartition own);

  /// Turns MIG mode off on a GPU that a claim uses as a whole.
  ///
  /// @return why the GPU is not whole
  Optional<String> makeWhole(Gpu gpu);

  /// Receives the names of the partitions that claims have made, or are about to make: after the
  /// start, before one is made, and after one is removed.
  void announce(Set<String> own);
}
