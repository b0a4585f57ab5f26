package dev.pitcrew.testbed.demo;

/// A claim about the cluster that can turn out wrong.
///
/// @param claim what should hold
/// @param remedy what to look at next where it does not
record Check(String claim, String expected, String actual, String remedy) {
  boolean holds() {
    return expected.equals(actual);
  }

  /// What a person who finds the demo red needs to know.
  String explanation() {
    return "FAILED: %s: expected %s, found %s. %s".formatted(claim, expected, actual, remedy);
  }
}
