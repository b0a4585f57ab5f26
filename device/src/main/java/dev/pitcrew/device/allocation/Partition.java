package dev.pitcrew.device.allocation;

import java.util.Arrays;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/// The best way to divide GPUs into sets of one size. All partitions are compared, in the order of
/// the plain enumeration (the first GPU left is fixed, the others run over their combinations), and
/// the first of the best wins. But what is left after the first sets is computed once, not once for
/// each way to get there, interchangeable GPUs are taken in one order only, and what cannot become
/// better is not computed at all: that reduces millions of partitions to thousands of states.
///
/// GPUs are bits by their place; the bit above them all stands for the empty slots that fill the
/// last set up. They all lie in one set.
final class Partition {
  /// Beyond it the states are too many; no known node has more GPUs.
  static final int MOST_GPUS = 16;

  private static final int UNKNOWN = -2;
  private static final int IMPOSSIBLE = -1;

  private final SetScores scores;
  private final Twins twins;
  private final int size;
  private final int required;
  private final int emptySlots;
  private final int filler;
  private final int[] best;

  /// @param required as bits: GPUs that must be together in one full set
  Partition(PairScores pairs, int gpus, int size, int required) {
    this.scores = new SetScores(pairs, gpus, size);
    this.twins = Twins.of(pairs, gpus, required);
    this.size = size;
    this.required = required;
    this.emptySlots = Math.floorMod(-gpus, size);
    this.filler = 1 << gpus;
    this.best = new int[filler << 1];
    Arrays.fill(best, UNKNOWN);
  }

  /// The best full set of the best partition that holds what is required, as bits.
  int bestSet() {
    int left = emptySlots > 0 ? filler | (filler - 1) : filler - 1;
    int chosen = 0;
    int chosenScore = IMPOSSIBLE;
    while (left != 0) {
      int set = firstSet(left);
      boolean fits = (set & filler) == 0 && (set & required) == required;
      if (fits && scores.of(set) > chosenScore) {
        chosen = set;
        chosenScore = scores.of(set);
      }
      left &= ~set;
    }
    return chosen;
  }

  /// The first set of the first of the best ways to divide what is left.
  private int firstSet(int left) {
    int sum = bestSum(left);
    int[] found = new int[1];
    IntPredicate isFound =
        set -> {
          found[0] = set;
          return isPartOf(sum, left, set);
        };
    new Sets(left, false, isFound).visit();
    return found[0];
  }

  private boolean isPartOf(int sum, int left, int set) {
    int rest = left & ~set;
    return !dividesRequired(set) && sum <= limit(left, set) && sum == score(set) + bestSum(rest);
  }

  /// The greatest sum of scores into which what is left can be divided.
  private int bestSum(int left) {
    if (slots(left) <= size) {
      return dividesRequired(left) ? IMPOSSIBLE : score(left);
    }
    int like = twins.first(left);
    if (best[like] == UNKNOWN) {
      best[like] = IMPOSSIBLE;
      if (slots(like) > 2 * size) {
        // The better the first attempt, the fewer of the others need to be worked out.
        mostPromising(like).ifPresent(set -> consider(like, set));
      }
      new Sets(like, true, set -> consider(like, set)).visit();
    }
    return best[like];
  }

  private OptionalInt mostPromising(int left) {
    int[] found = {0, IMPOSSIBLE};
    IntPredicate isLast =
        set -> {
          if (limit(left, set) > found[1] && !dividesRequired(set)) {
            found[0] = set;
            found[1] = limit(left, set);
          }
          return false;
        };
    new Sets(left, true, isLast).visit();
    return found[1] == IMPOSSIBLE ? OptionalInt.empty() : OptionalInt.of(found[0]);
  }

  private int slots(int left) {
    return Integer.bitCount(left & (filler - 1)) + ((left & filler) == 0 ? 0 : emptySlots);
  }

  /// Never ends the visit.
  private boolean consider(int left, int set) {
    int rest = left & ~set;
    if (limit(left, set) > best[left] && !dividesRequired(set)) {
      int ofRest = bestSum(rest);
      if (ofRest != IMPOSSIBLE) {
        best[left] = Math.max(best[left], score(set) + ofRest);
      }
    }
    return false;
  }

  /// What a division of what is left with this set in it cannot exceed.
  private int limit(int left, int set) {
    int rest = left & ~set;
    return score(set) + (slots(rest) <= size ? score(rest) : scores.atMost(rest & (filler - 1)));
  }

  private int score(int set) {
    return scores.of(set & (filler - 1));
  }

  private boolean dividesRequired(int set) {
    int inside = set & (required | filler);
    return (inside & required) != 0 && inside != required;
  }

  /// All sets that the first GPU left can be in, in the order of the plain enumeration.
  private final class Sets {
    private final int left;

    /// Whether GPUs that are alike are taken in one order only.
    private final boolean isOnceForTwins;

    /// Whether the visit ends with a set.
    private final IntPredicate isLast;

    Sets(int left, boolean isOnceForTwins, IntPredicate isLast) {
      this.left = left;
      this.isOnceForTwins = isOnceForTwins;
      this.isLast = isLast;
    }

    boolean visit() {
      return extend(Integer.lowestOneBit(left), size - 1);
    }

    private boolean extend(int set, int open) {
      if (open == 0) {
        return isLast.test(set);
      }
      boolean mayFill = (left & filler) != 0;
      int fewest = mayFill ? open - emptySlots : open;
      int bits = left & (filler - 1) & -(Integer.highestOneBit(set) << 1);
      for (; bits != 0 && Integer.bitCount(bits) >= fewest; bits &= bits - 1) {
        int gpu = Integer.lowestOneBit(bits);
        if (isNext(gpu, set) && extend(set | gpu, open - 1)) {
          return true;
        }
      }
      return mayFill && open == emptySlots && isLast.test(set | filler);
    }

    private boolean isNext(int gpu, int set) {
      return !isOnceForTwins || (twins.of(gpu) & left & (gpu - 1) & ~set) == 0;
    }
  }
}
