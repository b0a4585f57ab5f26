package dev.pitcrew.agent.labels.plan;

/// Values of feature labels. NFD drops a value that is not legal, and with it what an operator
/// depends on; here it is made legal.
final class FeatureValue {
  private static final int LONGEST = 63;
  private static final String EDGES = "^[-_.]+|[-_.]+$";

  private FeatureValue() {}

  static String legal(String value) {
    String trimmed = value.replaceAll("[^-A-Za-z0-9_.]", "_").replaceAll(EDGES, "");
    String cut = trimmed.substring(0, Math.min(LONGEST, trimmed.length()));
    return cut.replaceAll(EDGES, "");
  }
}
