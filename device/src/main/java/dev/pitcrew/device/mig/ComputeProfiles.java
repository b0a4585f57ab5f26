package dev.pitcrew.device.mig;

import java.util.List;
import java.util.OptionalInt;

/// What NVML's constants of compute instance profiles mean.
public final class ComputeProfiles {
  // By the value of NVML_COMPUTE_INSTANCE_PROFILE_*.
  private static final List<Integer> SLICES = List.of(1, 2, 3, 4, 7, 8, 6, 1, 7);

  private ComputeProfiles() {}

  /// How many slices each has, in the order of the constants.
  public static List<Integer> slices() {
    return SLICES;
  }

  /// Empty where the constant is newer than is known here.
  public static OptionalInt slices(int constant) {
    return constant >= 0 && constant < SLICES.size()
        ? OptionalInt.of(SLICES.get(constant))
        : OptionalInt.empty();
  }

  /// The first constant with so many slices.
  public static OptionalInt constant(int slices) {
    int constant = SLICES.indexOf(slices);
    return constant < 0 ? OptionalInt.empty() : OptionalInt.of(constant);
  }
}
