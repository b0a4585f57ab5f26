package dev.pitcrew.agent.status.plan;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.ApiJson;
import io.fabric8.kubernetes.client.KubernetesClient;

/// Patches as the agent, the operator and NFD send them.
record ApiCalls(KubernetesClient client) {
  static final String GPU_NODE = "apis/pitcrew.dev/v1alpha1/gpunodes/node-a";
  static final String NODE = "api/v1/nodes/node-a";

  JsonNode apply(String path, String manager, JsonNode body) {
    return patch(
        path + "?force=true&fieldManager=" + manager,
        "application/apply-patch+yaml",
        body.toString());
  }

  /// @param body a merge patch with single quotes
  JsonNode merge(String path, String manager, String body) {
    return patch(
        path + "?fieldManager=" + manager, "application/merge-patch+json", body.replace('\'', '"'));
  }

  JsonNode live(String path) {
    return ApiJson.read(client.raw("/" + path), JsonNode.class);
  }

  private JsonNode patch(String path, String contentType, String body) {
    var http = client.getHttpClient();
    var request =
        http.newHttpRequestBuilder()
            .uri(client.getMasterUrl() + path)
            .method("PATCH", contentType, body)
            .build();
    var response = http.sendAsync(request, String.class).join();
    if (!response.isSuccessful()) {
      throw new AssertionError(response.code() + ": " + response.body());
    }
    return ApiJson.read(response.body(), JsonNode.class);
  }
}
