package dev.pitcrew.core.requests;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/// What a user may have meant by an unknown name.
public final class NearestNames {
  private static final String MIG = GpuDemand.PREFIX + "mig-";
  private static final int CLOSE = 3;
  private static final int MOST = 3;

  private NearestNames() {}

  /// The nearest first: the same resource under its other name, else MIG devices for a MIG device,
  /// else names that differ in a few letters.
  public static List<String> of(String name, Collection<String> known) {
    return known.stream()
        .filter(candidate -> !candidate.equals(name) && isNear(name, candidate))
        .sorted(
            Comparator.comparing((String candidate) -> !isTwin(name, candidate))
                .thenComparingInt(candidate -> distance(name, candidate))
                .thenComparing(Comparator.naturalOrder()))
        .limit(MOST)
        .toList();
  }

  /// The same devices, renamed for being shared.
  static boolean isTwin(String name, String other) {
    return !name.equals(other) && NodeOffer.unshared(name).equals(NodeOffer.unshared(other));
  }

  private static boolean isNear(String name, String candidate) {
    return isTwin(name, candidate)
        || (name.startsWith(MIG) && candidate.startsWith(MIG))
        || distance(name, candidate) <= CLOSE;
  }

  /// After Levenshtein: how many letters to insert, drop or change.
  private static int distance(String from, String to) {
    int[] before = new int[to.length() + 1];
    for (int column = 0; column <= to.length(); column++) {
      before[column] = column;
    }
    for (int row = 1; row <= from.length(); row++) {
      before = nextRow(before, from.charAt(row - 1), to, row);
    }
    return before[to.length()];
  }

  private static int[] nextRow(int[] before, char letter, String to, int row) {
    int[] after = new int[before.length];
    after[0] = row;
    for (int column = 1; column < after.length; column++) {
      int change = before[column - 1] + (letter == to.charAt(column - 1) ? 0 : 1);
      after[column] = Math.min(change, 1 + Math.min(before[column], after[column - 1]));
    }
    return after;
  }
}
