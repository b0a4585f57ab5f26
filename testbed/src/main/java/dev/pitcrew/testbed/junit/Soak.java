package dev.pitcrew.testbed.junit;

import java.util.List;

/// How much of a long matrix a run plays. `make test` is complete in kind: it plays every kind of
/// step once. `make soak`, which sets the system property `pitcrew.soak`, plays the matrix in full.
public final class Soak {
  private static final boolean IS_ON = Boolean.getBoolean("pitcrew.soak");

  private Soak() {}

  /// Whether this run plays something that others leave out.
  public static boolean plays(String what) {
    if (IS_ON) {
      print(what);
    }
    return IS_ON;
  }

  /// @param once one case of each kind
  /// @param full every case
  public static <T> List<T> cases(List<T> once, List<T> full) {
    if (IS_ON) {
      print("%d cases instead of %d".formatted(full.size(), once.size()));
    }
    return IS_ON ? full : once;
  }

  /// The number of tries or the length of a load, in whatever unit the caller counts.
  public static int amount(int usual, int full) {
    if (IS_ON) {
      print("%d instead of %d".formatted(full, usual));
    }
    return IS_ON ? full : usual;
  }

  /// The test runner collects these lines: what a soak covered that `make test` does not.
  private static void print(String what) {
    var caller =
        StackWalker.getInstance()
            .walk(frames ->
                frames
                    .filter(frame -> !frame.getClassName().equals(Soak.class.getName()))
                    .findFirst()
                    .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                    .orElse("a test"));
    System.out.printf("soak: %s: %s%n", caller, what);
  }
}
