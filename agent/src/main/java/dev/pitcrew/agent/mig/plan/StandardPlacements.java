package dev.pitcrew.agent.mig.plan;

import dev.pitcrew.device.mig.InstanceProfile;
import dev.pitcrew.device.mig.Placement;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Possible placements on a GPU that reports none because it is not in MIG mode (NVIDIA's MIG user
/// guide, "Supported MIG Profiles": all boards have the same pattern of seven or four compute
/// slices). They serve to reject early what cannot fit; the GPU decides the real placements.
final class StandardPlacements {
  private static final int DOUBLE_MEMORY = 9;
  private static final int LARGEST_OF_SMALL_BOARDS = 4;

  private StandardPlacements() {}

  /// The profiles, each with placements.
  static List<InstanceProfile> added(List<InstanceProfile> profiles) {
    int slices = profiles.stream().mapToInt(InstanceProfile::slices).max().orElse(0);
    return profiles.stream()
        .map(profile -> profile.placements().isEmpty() ? with(profile, slices) : profile)
        .toList();
  }

  private static InstanceProfile with(InstanceProfile profile, int boardSlices) {
    return new InstanceProfile(
        profile.constant(),
        profile.id(),
        profile.shape(),
        profile.most(),
        placements(profile, boardSlices).toList());
  }

  private static Stream<Placement> placements(InstanceProfile profile, int boardSlices) {
    if (boardSlices <= LARGEST_OF_SMALL_BOARDS) {
      return every(profile.slices(), boardSlices);
    }
    if (profile.constant() == DOUBLE_MEMORY) {
      return every(2, boardSlices + 1);
    }
    return switch (profile.slices()) {
      case 1 -> every(1, boardSlices);
      case 2 -> every(2, boardSlices - 1);
      case 3 -> every(4, boardSlices + 1);
      case 4 -> Stream.of(new Placement(0, 4));
      default -> Stream.of(new Placement(0, boardSlices + 1));
    };
  }

  private static Stream<Placement> every(int size, int end) {
    return IntStream.iterate(0, start -> start + size <= end, start -> start + size)
        .mapToObj(start -> new Placement(start, size));
  }
}
