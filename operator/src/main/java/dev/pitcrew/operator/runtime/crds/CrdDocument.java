package dev.pitcrew.operator.runtime.crds;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;

/// One definition exactly as it was written; nothing of its schema passes through a model that
/// could drop a field.
record CrdDocument(GenericKubernetesResource body) {
  static final String KIND = "CustomResourceDefinition";

  String name() {
    return body.getMetadata().getName();
  }

  String plural() {
    return body.get("spec", "names", "plural");
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
