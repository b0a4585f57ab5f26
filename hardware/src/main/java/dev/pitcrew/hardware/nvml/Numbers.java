package dev.pitcrew.hardware.nvml;

import java.util.Optional;

/// Numbers that the library returns, refused where they cannot be.
final class Numbers {
  // Minor numbers, instance ids, device counts: none comes near it.
  private static final int SMALL = 1 << 16;

  private Numbers() {}

  static Optional<Integer> small(int number) {
    return number >= 0 && number < SMALL ? Optional.of(number) : Optional.empty();
  }

  static Optional<Long> positive(long number) {
    return number >= 0 ? Optional.of(number) : Optional.empty();
  }
}
