package dev.pitcrew.operator.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.kube.client.KubernetesJson;

/// Turns parts of custom resources that embed Kubernetes types into those types.
final class ApiObjects {
  private ApiObjects() {}

  static <T> T convert(Object part, Class<T> type) {
    return KubernetesJson.MAPPER.convertValue(ApiJson.tree(part), type);
  }

  static boolean isEmpty(Object part) {
    JsonNode tree = ApiJson.tree(part);
    return tree.isNull() || tree.isMissingNode() || tree.isEmpty();
  }

  static String json(Object kubernetesObject) {
    try {
      return KubernetesJson.MAPPER.writeValueAsString(kubernetesObject);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("writing an object that we built ourselves", e);
    }
  }
}
