package dev.pitcrew.device.allocation;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/// How well the GPUs of a set reach each other: the sum over its pairs. Sets are bits.
final class SetScores {
  private static final int UNKNOWN = -1;

  private final PairScores pairs;
  private final int partners;
  private final int[] known;
  private final int[] limits;

  /// The others by how well each GPU reaches them, the best first.
  private final int[][] nearest;

  /// @param gpus how many there are
  /// @param size of the largest set
  SetScores(PairScores pairs, int gpus, int size) {
    this.pairs = pairs;
    this.partners = size - 1;
    this.known = new int[1 << gpus];
    this.limits = new int[1 << gpus];
    this.nearest =
        IntStream.range(0, gpus).mapToObj(gpu -> nearest(gpu, gpus)).toArray(int[][]::new);
    Arrays.fill(known, UNKNOWN);
    Arrays.fill(limits, UNKNOWN);
    known[0] = 0;
  }

  int of(int set) {
    if (known[set] == UNKNOWN) {
      int others = set & (set - 1);
      known[set] = of(others) + between(Integer.numberOfTrailingZeros(set), others);
    }
    return known[set];
  }

  /// What no way to divide these GPUs can exceed: each with those of them that it reaches best.
  int atMost(int set) {
    if (limits[set] == UNKNOWN) {
      int doubled = 0;
      for (int bits = set; bits != 0; bits &= bits - 1) {
        doubled += bestWithin(Integer.numberOfTrailingZeros(bits), set);
      }
      limits[set] = doubled / 2;
    }
    return limits[set];
  }

  private int between(int gpu, int others) {
    int sum = 0;
    for (int bits = others; bits != 0; bits &= bits - 1) {
      sum += pairs.between(gpu, Integer.numberOfTrailingZeros(bits));
    }
    return sum;
  }

  private int bestWithin(int gpu, int set) {
    int sum = 0;
    int left = partners;
    int[] others = nearest[gpu];
    for (int place = 0; place < others.length && left > 0; place++) {
      if ((set >> others[place] & 1) == 1) {
        sum += pairs.between(gpu, others[place]);
        left--;
      }
    }
    return sum;
  }

  private int[] nearest(int gpu, int gpus) {
    return IntStream.range(0, gpus)
        .filter(other -> other != gpu)
        .boxed()
        .sorted(Comparator.comparingInt(other -> -pairs.between(gpu, other)))
        .mapToInt(Integer::intValue)
        .toArray();
  }
}
