package dev.pitcrew.operator.runtime.crds;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// One definition exactly as it was written; nothing of its schema passes through a model that
/// could drop a field.
record CrdDocument(GenericKubernetesResource body) {
  static final String KIND = "CustomResourceDefinition";

  /// Label of definitions that other charts bring, too, such as that of ComputeDomains. One that is
  /// there without it is another chart's.
  private static final String SHARED = "pitcrew.dev/shared-definition";

  String name() {
    return body.getMetadata().getName();
  }

  String plural() {
    return body.get("spec", "names", "plural");
  }

  boolean isShared() {
    return isShared(body);
  }

  /// Whether the live one is another chart's, which is neither changed nor deleted.
  boolean isOfAnother(@Nullable GenericKubernetesResource live) {
    return isShared() && live != null && !isShared(live);
  }

  /// All objects that it defines.
  ResourceDefinitionContext objects() {
    String served = servedGroupVersions().getFirst();
    return new ResourceDefinitionContext.Builder()
        .withGroup(body.get("spec", "group"))
        .withVersion(served.substring(served.indexOf('/') + 1))
        .withKind(body.get("spec", "names", "kind"))
        .withPlural(plural())
        .withNamespaced("Namespaced".equals(body.get("spec", "scope")))
        .build();
  }

  private static boolean isShared(GenericKubernetesResource definition) {
    return Objects.requireNonNullElse(definition.getMetadata().getLabels(), Map.of())
        .containsKey(SHARED);
  }

  /// `group/version` of each version that is to be served.
  List<String> servedGroupVersions() {
    String group = body.get("spec", "group");
    List<Map<String, Object>> versions = body.get("spec", "versions");
    return versions.stream()
        .filter(version -> Boolean.TRUE.equals(version.get("served")))
        .map(version -> group + "/" + version.get("name"))
        .toList();
  }
}
