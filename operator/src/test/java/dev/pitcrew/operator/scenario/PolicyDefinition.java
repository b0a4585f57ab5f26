package dev.pitcrew.operator.scenario;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.Objects;

/// The definition of ClusterPolicy in the cluster.
record PolicyDefinition(KubernetesClient client) {
  static final String NAME = "clusterpolicies.nvidia.com";

  /// Makes it one of a release that did not have that section of the spec.
  void drop(String section) {
    resource()
        .edit(definition -> {
          spec(definition).getProperties().remove(section);
          return definition;
        });
  }

  /// Whether the spec has that section.
  boolean has(String section) {
    return spec(resource().require()).getProperties().containsKey(section);
  }

  private static JSONSchemaProps spec(CustomResourceDefinition definition) {
    var schema = definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
    return Objects.requireNonNull(schema.getProperties().get("spec"));
  }

  private Resource<CustomResourceDefinition> resource() {
    return client.apiextensions().v1().customResourceDefinitions().withName(NAME);
  }
}
