package dev.pitcrew.device.allocation;

import java.util.Arrays;

/// The best way to divide GPUs into sets of one size. All partitions are compared, in the order of
/// the plain enumeration (the first GPU left is fixed, the others run over their combinations), and
/// the first of the best wins. But what is left after the first sets is worked out once, not once
/// for each way to get there, and not at all where it cannot become better: that makes thousands of
/// states out of millions of partitions.
///
/// GPUs are bits by their place; the bit above them all stands for the empty slots that fill the
/// last set up. They all lie in one set.
final class Partition {
  /// Beyond it the states are too many; no known node has more GPUs.
  static final int MOST_GPUS = 16;

  private static final int UNKNOWN = -2;
  private static final int IMPOSSIBLE = -1;

  private final SetScores scores;
  private final int size;
  private final int required;
  private final int emptySlots;
  private final int filler;
  private final int[] best;
  private final int[] firstSet;

  /// @param required as bits: GPUs that must be together in one full set
  Partition(PairScores pairs, int gpus, int size, int required) {
    this.scores = new SetScores(pairs, gpus, size);
    this.size = size;
    this.required = required;
    this.emptySlots = Math.floorMod(-gpus, size);
    this.filler = 1 << gpus;
    this.best = new int[filler << 1];
    this.firstSet = new int[filler << 1];
    Arrays.fill(best, UNKNOWN);
  }

  /// The best full set of the best partition that holds what is required, as bits.
  int bestSet() {
    int left = emptySlots > 0 ? filler | (filler - 1) : filler - 1;
    solve(left);
    int chosen = 0;
    int chosenScore = IMPOSSIBLE;
    for (; left != 0; left &= ~firstSet[left]) {
      int set = firstSet[left];
      boolean fits = (set & filler) == 0 && (set & required) == required;
      if (fits && scores.of(set) > chosenScore) {
        chosen = set;
        chosenScore = scores.of(set);
      }
    }
    return chosen;
  }

  /// The greatest sum of scores into which what is left can be divided.
  private int solve(int left) {
    if (left == 0) {
      return 0;
    }
    if (best[left] == UNKNOWN) {
      best[left] = IMPOSSIBLE;
      extend(left, Integer.lowestOneBit(left), size - 1);
    }
    return best[left];
  }

  /// Runs over all sets of what is left that begin with `set`, as long as they can be worth it.
  private void extend(int left, int set, int open) {
    if (open == 0) {
      consider(left, set);
      return;
    }
    boolean mayFill = (left & filler) != 0;
    int fewest = mayFill ? open - emptySlots : open;
    int bits = left & (filler - 1) & -(Integer.highestOneBit(set) << 1);
    for (; bits != 0 && Integer.bitCount(bits) >= fewest; bits &= bits - 1) {
      extend(left, set | Integer.lowestOneBit(bits), open - 1);
    }
    if (mayFill && open == emptySlots) {
      consider(left, set | filler);
    }
  }

  private void consider(int left, int set) {
    int rest = left & ~set;
    int score = scores.of(set & (filler - 1));
    if (score + scores.atMost(rest & (filler - 1)) > best[left] && !dividesRequired(set)) {
      int ofRest = solve(rest);
      if (ofRest != IMPOSSIBLE && score + ofRest > best[left]) {
        best[left] = score + ofRest;
        firstSet[left] = set;
      }
    }
  }

  private boolean dividesRequired(int set) {
    int inside = set & (required | filler);
    return (inside & required) != 0 && inside != required;
  }
}
