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
      cluster("pitcrew.dev", "v1alpha1", "FleetPolicy", "fleetpolicies");

  /// What the agents report about their nodes.
  public static final ResourceDefinitionContext GPU_NODE =
      cluster("pitcrew.dev", "v1alpha1", "GPUNode", "gpunodes");

  /// The NVIDIA GPU Operator's settings.
  public static final ResourceDefinitionContext CLUSTER_POLICY =
      cluster("nvidia.com", "v1", "ClusterPolicy", "clusterpolicies");

  private Definitions() {}

  /// A kind without namespaces.
  public static ResourceDefinitionContext cluster(
      String group, String version, String kind, String plural) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(group)
        .withVersion(version)
        .withKind(kind)
        .withPlural(plural)
        .withNamespaced(false)
        .build();
  }

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
