package dev.pitcrew.operator.runtime.cleanup;

import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;

/// A kind whose objects the operator acts on. All are cluster-scoped.
record CustomResourceKind(String group, String version, String kind, String plural) {

  /// What users write, in the order in which it goes: once no policy is left, nothing is deployed
  /// again.
  static final List<CustomResourceKind> POLICIES =
      List.of(
          new CustomResourceKind("nvidia.com", "v1", "ClusterPolicy", "clusterpolicies"),
          new CustomResourceKind("nvidia.com", "v1alpha1", "NVIDIADriver", "nvidiadrivers"),
          new CustomResourceKind("nvidia.com", "v1alpha1", "GPUCluster", "gpuclusters"),
          new CustomResourceKind("pitcrew.dev", "v1alpha1", "FleetPolicy", "fleetpolicies"));

  /// What agents write; it is deleted last, since a running agent would create it again.
  static final CustomResourceKind GPU_NODE =
      new CustomResourceKind("pitcrew.dev", "v1alpha1", "GPUNode", "gpunodes");

  ResourceDefinitionContext context() {
    return new ResourceDefinitionContext.Builder()
        .withGroup(group)
        .withVersion(version)
        .withKind(kind)
        .withPlural(plural)
        .withNamespaced(false)
        .build();
  }
}
