package dev.pitcrew.testbed.demo;

import java.util.ArrayList;
import java.util.List;

/// The checks of one step, in the order in which they were made.
final class Checks {
  private final List<Check> made = new ArrayList<>();

  /// Notes that `actual`, as read from the cluster, should be `expected`.
  void equal(String claim, Object expected, Object actual, String remedy) {
    made.add(new Check(claim, expected.toString(), actual.toString(), remedy));
  }

  int count() {
    return made.size();
  }

  List<Check> failed() {
    return made.stream().filter(check -> !check.holds()).toList();
  }
}
