package dev.pitcrew.device.allocation;

import java.util.stream.IntStream;

/// GPUs that are interchangeable: each reaches all others just as its twin does. GPUs are bits.
final class Twins {
  private final int[] groupOfPlace;
  private final int[] groups;
  private final int[][] beginnings;
  private final int different;

  private Twins(int[] groupOfPlace) {
    this.groupOfPlace = groupOfPlace;
    this.groups =
        IntStream.of(groupOfPlace)
            .filter(group -> Integer.bitCount(group) > 1)
            .distinct()
            .toArray();
    this.beginnings = IntStream.of(groups).mapToObj(Twins::beginnings).toArray(int[][]::new);
    this.different = ~IntStream.of(groups).sum();
  }

  /// @param marked as bits: GPUs that are no twins of unmarked ones
  static Twins of(PairScores pairs, int gpus, int marked) {
    return new Twins(
        IntStream.range(0, gpus).map(place -> group(pairs, gpus, marked, place)).toArray());
  }

  private static int group(PairScores pairs, int gpus, int marked, int place) {
    return IntStream.range(0, gpus)
        .filter(other -> (marked >> other & 1) == (marked >> place & 1))
        .filter(other -> areAlike(pairs, gpus, place, other))
        .map(other -> 1 << other)
        .sum();
  }

  private static boolean areAlike(PairScores pairs, int gpus, int one, int other) {
    return IntStream.range(0, gpus)
        .filter(third -> third != one && third != other)
        .allMatch(third -> pairs.between(one, third) == pairs.between(other, third));
  }

  /// Its first none, its first, its first two GPUs and so on.
  private static int[] beginnings(int group) {
    int[] beginnings = new int[Integer.bitCount(group) + 1];
    int bits = group;
    for (int count = 1; count < beginnings.length; count++) {
      beginnings[count] = beginnings[count - 1] | Integer.lowestOneBit(bits);
      bits &= bits - 1;
    }
    return beginnings;
  }

  /// A GPU and its twins.
  int of(int gpu) {
    return groupOfPlace[Integer.numberOfTrailingZeros(gpu)];
  }

  /// The representative of all sets equivalent to this one: the first twins of each group. Bits
  /// that are no GPUs stay.
  int first(int set) {
    int first = set & different;
    for (int group = 0; group < groups.length; group++) {
      first |= beginnings[group][Integer.bitCount(set & groups[group])];
    }
    return first;
  }
}
