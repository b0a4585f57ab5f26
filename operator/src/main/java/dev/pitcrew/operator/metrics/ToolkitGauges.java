package dev.pitcrew.operator.metrics;

/// What is known about OpenShift's driver toolkit.
public record ToolkitGauges(
    Availability availability,
    boolean isNfdTooOld,
    boolean isImageStreamMissing,
    boolean areRhcosTagsMissing,
    boolean isImageStreamBroken) {

  /// Whether drivers are built with the toolkit.
  public enum Availability {
    ENABLED(1),
    NOT_REQUESTED(0),
    NOT_POSSIBLE(-1);

    private final int value;

    Availability(int value) {
      this.value = value;
    }

    int value() {
      return value;
    }
  }
}
