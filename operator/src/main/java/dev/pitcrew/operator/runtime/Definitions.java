package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.api.Crds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The custom resource definitions of a cluster: which kinds it serves, and whether those of ours
/// are new enough.
final class Definitions {
  private static final String POLICIES = Kinds.definition(Kinds.CLUSTER_POLICY);
  private static final ObjectMapper JSON = new ObjectMapper();

  private Definitions() {}

  /// Keeps the schema of the definition that we check, and only the name of all others.
  static GenericKubernetesResource slim(GenericKubernetesResource definition) {
    definition.getMetadata().setManagedFields(null);
    definition.getMetadata().setAnnotations(null);
    if (!definition.getMetadata().getName().equals(POLICIES)) {
      definition.setAdditionalProperties(Map.of());
    }
    return definition;
  }

  /// Fields of a ClusterPolicy that the cluster's definition lacks: the API server would drop them
  /// without a word.
  static Set<String> missingFields(Optional<GenericKubernetesResource> installed) {
    if (installed.isEmpty()) {
      return Set.of();
    }
    Set<String> missing = new TreeSet<>(fields(packaged()));
    missing.removeAll(fields(JSON.valueToTree(installed.get().getAdditionalProperties())));
    return missing;
  }

  static Optional<GenericKubernetesResource> ofPolicies(Caches caches) {
    return caches.definitions().get("", POLICIES);
  }

  private static JsonNode packaged() {
    Map<?, ?> parsed =
        new KubernetesSerialization()
            .unmarshal(Crds.yaml("nvidia.com_clusterpolicies.yaml"), Map.class);
    return JSON.valueToTree(parsed);
  }

  private static Set<String> fields(JsonNode definition) {
    Set<String> fields = new TreeSet<>();
    for (JsonNode version : definition.path("spec").path("versions")) {
      collect(
          version.path("schema").path("openAPIV3Schema").path("properties").path("spec"),
          "spec",
          fields);
    }
    return fields;
  }

  private static void collect(JsonNode schema, String path, Set<String> fields) {
    schema
        .path("properties")
        .properties()
        .forEach(property -> {
          String name = path + "." + property.getKey();
          fields.add(name);
          collect(property.getValue(), name, fields);
        });
    if (schema.has("items")) {
      collect(schema.path("items"), path + "[]", fields);
    }
  }
}
