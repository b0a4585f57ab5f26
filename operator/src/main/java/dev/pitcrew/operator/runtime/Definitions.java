package dev.pitcrew.operator.runtime;

import dev.pitcrew.api.Crds;
import dev.pitcrew.api.node.GpuNodeStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// The custom resource definitions of a cluster: which kinds it serves, and whether those of ours
/// are new enough.
final class Definitions {
  private static final String POLICIES = Kinds.definition(Kinds.CLUSTER_POLICY);
  private static final String GPU_NODES = Kinds.definition(Kinds.GPU_NODE);

  /// The fields of a GPUNode's status, without those below them.
  private static final Set<String> REPORTED =
      Arrays.stream(GpuNodeStatus.class.getRecordComponents())
          .map(component -> "status." + component.getName())
          .filter(name -> !name.equals("status.unknown"))
          .collect(Collectors.toUnmodifiableSet());

  private static final String MISSING = "missingFields";

  private Definitions() {}

  /// Keeps the name, and of the definition that we check what it lacks: a schema is megabytes in
  /// memory, and comparing two takes longer than all the rest of a reconcile.
  static GenericKubernetesResource slim(GenericKubernetesResource definition) {
    definition.getMetadata().setManagedFields(null);
    definition.getMetadata().setAnnotations(null);
    String name = definition.getMetadata().getName();
    Map<String, Object> whole = definition.getAdditionalProperties();
    definition.setAdditionalProperties(
        name.equals(POLICIES)
            ? Map.of(MISSING, missing(Crds.policyFields(), fields(whole, "spec")))
            : name.equals(GPU_NODES)
                ? Map.of(MISSING, missing(REPORTED, fields(whole, "status")))
                : Map.of());
    return definition;
  }

  /// Fields that the cluster's definition lacks. The API server drops those of a ClusterPolicy
  /// without a word, and refuses the whole report of an agent that has one of a GPUNode.
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

  static Optional<GenericKubernetesResource> ofGpuNodes(Caches caches) {
    return caches.definitions().get("", GPU_NODES);
  }

  private static Set<String> missing(Collection<String> wanted, Set<String> installed) {
    Set<String> missing = new TreeSet<>(wanted);
    missing.removeAll(installed);
    return missing;
  }

  /// @param part `spec` or `status`
  static Set<String> fields(Map<?, ?> definition, String part) {
    Set<String> fields = new TreeSet<>();
    if (at(definition, "spec").get("versions") instanceof List<?> versions) {
      for (Object version : versions) {
        Map<?, ?> schema = at(at((Map<?, ?>) version, "schema"), "openAPIV3Schema");
        collect(at(at(schema, "properties"), part), part, fields);
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
