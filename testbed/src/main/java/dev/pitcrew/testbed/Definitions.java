package dev.pitcrew.testbed;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionStatus;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Definitions of custom resources.
public final class Definitions {
  /// Our own settings.
  public static final ResourceDefinitionContext FLEET_POLICY =
      new ResourceDefinitionContext.Builder()
          .withGroup("pitcrew.dev")
          .withVersion("v1alpha1")
          .withKind("FleetPolicy")
          .withPlural("fleetpolicies")
          .withNamespaced(false)
          .build();

  /// The reference's settings.
  public static final ResourceDefinitionContext CLUSTER_POLICY =
      new ResourceDefinitionContext.Builder()
          .withGroup("nvidia.com")
          .withVersion("v1")
          .withKind("ClusterPolicy")
          .withPlural("clusterpolicies")
          .withNamespaced(false)
          .build();

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
