package dev.pitcrew.agent.dra.claims;

import dev.pitcrew.device.dra.ClaimDevice.Partition;
import dev.pitcrew.device.inventory.Gpu;
import java.util.Optional;
import java.util.Set;

/// For nodes on which claims do not make MIG devices.
record NoPartitions() implements PartitionStep {
  private static final String NOT_SUPPORTED =
      "MIG devices are not made for claims: the feature gate DynamicMIG of this node is off";

  @Override
  public Result make(Partition wanted) {
    return new Result.Failed(NOT_SUPPORTED);
  }

  @Override
  public Result find(Partition wanted) {
    return new Result.Failed(NOT_SUPPORTED);
  }

  @Override
  public Optional<String> remove(OwnPartition own) {
    return Optional.of(NOT_SUPPORTED);
  }

  @Override
  public Optional<String> makeWhole(Gpu gpu) {
    return Optional.empty();
  }

  @Override
  public void announce(Set<String> own) {
    // No claim makes any.
  }
}
