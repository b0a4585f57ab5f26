package dev.pitcrew.testbed;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionStatus;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What can be read off a definition of a custom resource.
public final class Definitions {
  private Definitions() {}

  /// Whether the API server serves the kind: its condition `Established` is true. A definition that
  /// was created a moment ago has a status without conditions, or none, and one that was deleted is
  /// null.
  public static boolean isEstablished(@Nullable CustomResourceDefinition definition) {
    return Optional.ofNullable(definition)
        .map(CustomResourceDefinition::getStatus)
        .map(CustomResourceDefinitionStatus::getConditions)
        .stream()
        .flatMap(List::stream)
        .anyMatch(condition ->
            condition.getType().equals("Established") && condition.getStatus().equals("True"));
  }
}
