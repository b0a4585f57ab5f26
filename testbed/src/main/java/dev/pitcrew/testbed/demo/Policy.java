package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.Definitions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a ClusterPolicy asks for and what its status answers.
///
/// @param generation of what it asks for
/// @param answeredGeneration the generation that the status is about; 0 before the first status
/// @param state `ready`, `notReady`, `ignored`, or `-` before the first status
/// @param message of the condition that is true
record Policy(
    String name,
    String driverVersion,
    long generation,
    long answeredGeneration,
    String state,
    String message) {
  static final ResourceDefinitionContext KIND = Definitions.CLUSTER_POLICY;

  private static final String NONE = "-";

  static Policy absent() {
    return new Policy(NONE, NONE, 0, 0, NONE, NONE);
  }

  static Policy of(GenericKubernetesResource object) {
    var truth = trueCondition(object.get("status", "conditions"));
    return new Policy(
        object.getMetadata().getName(),
        text(object.get("spec", "driver", "version")),
        object.getMetadata().getGeneration(),
        truth.get("observedGeneration") instanceof Number number ? number.longValue() : 0,
        text(object.get("status", "state")),
        text(truth.get("message")));
  }

  /// Whether the operator is done with what the policy asks for now.
  boolean isReady() {
    return state.equals("ready") && answeredGeneration == generation;
  }

  private static Map<?, ?> trueCondition(@Nullable Object conditions) {
    var all = conditions instanceof List<?> list ? list : List.of();
    return all.stream()
        .filter(Map.class::isInstance)
        .<Map<?, ?>>map(Map.class::cast)
        .filter(condition -> "True".equals(condition.get("status")))
        .findFirst()
        .orElse(Map.of());
  }

  private static String text(@Nullable Object value) {
    return Objects.toString(value, NONE);
  }
}
