package dev.pitcrew.device.allocation;

import java.util.Arrays;
import java.util.stream.IntStream;

/// How well the GPUs of a set reach each other: the sum over its pairs. Sets are bits.
final class SetScores {
  private static final int UNKNOWN = -1;

  private final PairScores pairs;
  private final int[] known;
  private final int[] bounds;

  /// @param gpus how many there are
  /// @param size of the largest set
  SetScores(PairScores pairs, int gpus, int size) {
    this.pairs = pairs;
    this.known = new int[1 << gpus];
    this.bounds =
        IntStream.range(0, gpus).map(gpu -> sumOfBest(pairs, gpu, gpus, size - 1)).toArray();
    Arrays.fill(known, UNKNOWN);
  }

  int of(int set) {
    if (known[set] == UNKNOWN) {
      known[set] = sum(set);
    }
    return known[set];
  }

  /// What no way to divide these GPUs can exceed: each with the GPUs that it reaches best.
  int atMost(int gpus) {
    int doubled = 0;
    for (int bits = gpus; bits != 0; bits &= bits - 1) {
      doubled += bounds[Integer.numberOfTrailingZeros(bits)];
    }
    return doubled / 2;
  }

  private int sum(int set) {
    int sum = 0;
    for (int bits = set; bits != 0; bits &= bits - 1) {
      int gpu = Integer.numberOfTrailingZeros(bits);
      for (int others = bits & (bits - 1); others != 0; others &= others - 1) {
        sum += pairs.between(gpu, Integer.numberOfTrailingZeros(others));
      }
    }
    return sum;
  }

  private static int sumOfBest(PairScores pairs, int gpu, int gpus, int partners) {
    int[] sorted =
        IntStream.range(0, gpus)
            .filter(other -> other != gpu)
            .map(other -> pairs.between(gpu, other))
            .sorted()
            .toArray();
    return Arrays.stream(sorted).skip(Math.max(0, sorted.length - partners)).sum();
  }
}
