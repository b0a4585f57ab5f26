package dev.pitcrew.device.dra;

/// A capacity of a device of which each of several claims takes a part (CapacityRequestPolicy of
/// resource.k8s.io/v1). The scheduler rounds a request up to the step.
///
/// @param all what the device has, and the most that a claim can take
/// @param byDefault what a claim takes that does not ask for an amount
/// @param least that a claim can take
public record SharedCapacity(Quantity all, Quantity byDefault, Quantity least, Quantity step) {
  static final long MIB = 1L << 20;

  private static final Quantity NONE = Quantity.ofCount(0);
  private static final Quantity ONE = Quantity.ofCount(1);
  private static final Quantity ONE_MIB = Quantity.ofBytes(MIB);

  /// @param bytes a multiple of 1 MiB
  static SharedCapacity allUnlessAsked(long bytes) {
    Quantity all = Quantity.ofBytes(bytes);
    return new SharedCapacity(all, all, ONE_MIB, ONE_MIB);
  }

  /// @param bytes a multiple of 1 MiB
  static SharedCapacity noneUnlessAsked(long bytes) {
    return new SharedCapacity(Quantity.ofBytes(bytes), NONE, NONE, ONE_MIB);
  }

  static SharedCapacity oneUnlessAsked(int count) {
    return new SharedCapacity(Quantity.ofCount(count), ONE, ONE, ONE);
  }
}
