package dev.pitcrew.operator.policy;

import dev.pitcrew.kube.condition.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;

/// What the status of a custom resource says: a state, and one of the conditions Ready and Error.
public interface Verdict {
  String READY = "ready";
  String NOT_READY = "notReady";

  /// As the definition of the resource has it.
  String state();

  /// Of the condition Ready or Error, whichever is true; the same as in the NVIDIA GPU Operator,
  /// since users' alerts match on it.
  String reason();

  String message();

  /// Not ready, but nothing is wrong: pods are coming up.
  boolean isProgress();

  default boolean isReady() {
    return state().equals(READY);
  }

  default List<Condition> conditions(long generation) {
    return isReady()
        ? List.of(
            Conditions.of("Ready", "True", reason(), message(), generation),
            Conditions.of("Error", "False", "Ready", "", generation))
        : List.of(
            Conditions.of("Ready", "False", "Error", message(), generation),
            Conditions.of("Error", "True", reason(), message(), generation));
  }
}
