package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.Crds;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The custom resource definitions of a cluster: which kinds it serves, and whether those of ours
/// are new enough.
final class Definitions {
  private static final String POLICIES = Kinds.definition(Kinds.CLUSTER_POLICY);
  private static final String MISSING = "missingFields";

  private Definitions() {}

  /// Keeps the name, and of the definition that we check what it lacks: a schema is megabytes in
  /// memory, and comparing two takes longer than all the rest of a reconcile.
  static GenericKubernetesResource slim(GenericKubernetesResource definition) {
    definition.getMetadata().setManagedFields(null);
    definition.getMetadata().setAnnotations(null);
    definition.setAdditionalProperties(
        definition.getMetadata().getName().equals(POLICIES)
            ? Map.of(MISSING, missingFrom(definition.getAdditionalProperties()))
            : Map.of());
    return definition;
  }

  /// Fields of a ClusterPolicy that the cluster's definition lacks: the API server would drop them
  /// without a word.
  static Set<String> missingFields(Optional<GenericKubernetesResource> installed) {
    Set<String> missing = new TreeSet<>();
    installed.map(definition -> definition.getAdditionalProperties().get(MISSING)).stream()
        .flatMap(fields -> ((Set<?>) fields).stream())
        .forEach(field -> missing.add((String) field));
    return missing;
  }

  static Optional<GenericKubernetesResource> ofPolicies(Caches caches) {
    return caches.definitions().get("", POLICIES);
  }

  private static Set<String> missingFrom(Map<String, ?> installed) {
    Set<String> missing = new TreeSet<>(Crds.policyFields());
    missing.removeAll(fields(installed));
    return missing;
  }

  static Set<String> fields(Map<?, ?> definition) {
    Set<String> fields = new TreeSet<>();
    if (at(definition, "spec").get("versions") instanceof List<?> versions) {
      for (Object version : versions) {
        Map<?, ?> schema = at(at((Map<?, ?>) version, "schema"), "openAPIV3Schema");
        collect(at(at(schema, "properties"), "spec"), "spec", fields);
      }
    }
    return fields;
  }

  private static void collect(Map<?, ?> schema, String path, Set<String> fields) {
    at(schema, "properties")
        .forEach((key, property) -> {
          String name = path + "." + key;
          fields.add(name);
          collect((Map<?, ?>) property, name, fields);
        });
    Map<?, ?> items = at(schema, "items");
    if (!items.isEmpty()) {
      collect(items, path + "[]", fields);
    }
  }

  private static Map<?, ?> at(Map<?, ?> parent, String key) {
    return parent.get(key) instanceof Map<?, ?> child ? child : Map.of();
  }
}
