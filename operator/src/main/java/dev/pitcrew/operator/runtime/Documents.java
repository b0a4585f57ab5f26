package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;

/// Custom resources as JSON documents.
final class Documents {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Documents() {}

  static JsonNode tree(GenericKubernetesResource resource) {
    return JSON.valueToTree(resource.getAdditionalProperties());
  }
}
