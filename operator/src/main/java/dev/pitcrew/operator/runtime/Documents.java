package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/// Custom resources as JSON documents.
final class Documents {
  private Documents() {}

  static JsonNode tree(GenericKubernetesResource resource) {
    return KubernetesJson.MAPPER.valueToTree(resource.getAdditionalProperties());
  }
}
