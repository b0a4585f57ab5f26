package dev.pitcrew.operator.render;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pitcrew.api.ApiJson;
import io.fabric8.kubernetes.client.utils.Serialization;

/// Turns parts of custom resources that embed Kubernetes types into those types.
final class ApiObjects {
  private static final ObjectMapper KUBERNETES = Serialization.jsonMapper();

  private ApiObjects() {}

  static <T> T convert(Object part, Class<T> type) {
    return KUBERNETES.convertValue(ApiJson.tree(part), type);
  }

  static boolean isEmpty(Object part) {
    JsonNode tree = ApiJson.tree(part);
    return tree.isNull() || tree.isMissingNode() || tree.isEmpty();
  }
}
