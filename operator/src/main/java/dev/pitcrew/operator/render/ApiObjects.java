package dev.pitcrew.operator.render;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.pitcrew.api.ApiJson;

/// Turns parts of custom resources that embed Kubernetes types into those types.
final class ApiObjects {
  private static final JsonMapper KUBERNETES = new JsonMapper();

  private ApiObjects() {}

  static <T> T convert(Object part, Class<T> type) {
    return KUBERNETES.convertValue(ApiJson.tree(part), type);
  }

  static boolean isEmpty(Object part) {
    JsonNode tree = ApiJson.tree(part);
    return tree.isNull() || tree.isMissingNode() || tree.isEmpty();
  }

  static String json(Object kubernetesObject) {
    try {
      return KUBERNETES.writeValueAsString(kubernetesObject);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("writing an object that we built ourselves", e);
    }
  }
}
