package dev.pitcrew.core.requests;

/// Why no node that is there now can run a pod, even with all its GPUs free.
///
/// @param mayPass whether it may pass automatically, as nodes are being set up
/// @param note names the container, the resource and the number, what there is, and the remedy
public record Shortfall(Cause cause, String resource, boolean mayPass, String note) {
  private static final String MISTAKE = "GPURequestCannotBeMet";

  public enum Cause {
    UNKNOWN_RESOURCE(MISTAKE),
    TOO_MANY(MISTAKE),
    ONE_OF_SHARED_ONLY(MISTAKE),
    NOT_TOGETHER(MISTAKE),
    NOT_WHERE_IT_MAY_RUN(MISTAKE),
    NOT_TOLERATED("GPUTaintNotTolerated"),
    NOT_OFFERED_NOW("GPUsNotReady");

    private final String reason;

    Cause(String reason) {
      this.reason = reason;
    }
  }

  /// The reason of the Event.
  public String reason() {
    return cause.reason;
  }
}
