package dev.pitcrew.operator.metrics;

/// How the last reconcile of the ClusterPolicy ended, with the value of the gauge
/// `gpu_operator_reconciliation_status`.
public enum ReconciliationStatus {
  SUCCESS(1),
  OPERANDS_NOT_READY(0),
  POLICY_UNAVAILABLE(-1),
  OPERATOR_ERROR(-2);

  private final int value;

  ReconciliationStatus(int value) {
    this.value = value;
  }

  int value() {
    return value;
  }
}
