package dev.pitcrew.device.inventory;

import java.util.Optional;

/// Where a GPU instance lies on its GPU (nvmlGpuInstanceInfo_t).
///
/// @param profileId the driver's id of the GPU instance profile, such as 19 for `1g.5gb`
/// @param start the first memory slice, counted from 0
/// @param slices the number of memory slices, at least 1
public record MigPlacement(int profileId, int start, int slices) {
  /// More memory slices than any GPU has: 8 on those of 2026.
  private static final int MOST_SLICES = 32;

  /// @throws IllegalArgumentException for what no GPU has
  public MigPlacement {
    if (!isPossible(profileId, start, slices)) {
      throw new IllegalArgumentException(
          "no GPU has %d memory slices from %d for the profile %d"
              .formatted(slices, start, profileId));
    }
  }

  /// Empty for what no GPU has.
  public static Optional<MigPlacement> of(int profileId, int start, int slices) {
    return isPossible(profileId, start, slices)
        ? Optional.of(new MigPlacement(profileId, start, slices))
        : Optional.empty();
  }

  public boolean overlaps(MigPlacement other) {
    return start < other.start + other.slices && other.start < start + slices;
  }

  private static boolean isPossible(int profileId, int start, int slices) {
    return profileId >= 0
        && start >= 0
        && start < MOST_SLICES
        && slices >= 1
        && slices <= MOST_SLICES - start;
  }
}
