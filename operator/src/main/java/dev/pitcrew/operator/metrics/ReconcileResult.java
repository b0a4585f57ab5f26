package dev.pitcrew.operator.metrics;

import dev.pitcrew.core.Outcome;

/// How one reconcile ended, in controller-runtime's words, which dashboards filter by.
public enum ReconcileResult {
  SUCCESS("success"),
  REQUEUE_AFTER("requeue_after"),
  ERROR("error");

  private final String label;

  ReconcileResult(String label) {
    this.label = label;
  }

  /// A reconcile that only the user can move on has done all it can, so it counts as a success.
  public static ReconcileResult of(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Done _, Outcome.Blocked _ -> SUCCESS;
      case Outcome.Wait _ -> REQUEUE_AFTER;
      case Outcome.Failed _ -> ERROR;
    };
  }

  String label() {
    return label;
  }
}
