package dev.pitcrew.kube.apply;

import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/// Sends a merge patch that asks for nothing but metadata in return: the whole of a Node is tens of
/// kilobytes, which the API server would write, and we read, for nothing. The client library has no
/// call for that.
record MetadataPatch(KubernetesClient client, FieldManager manager) {
  private static final String PARTIAL =
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

  /// @param patch a JSON merge patch of the object
  /// @return the new resourceVersion of the object
  /// @throws KubernetesClientException when the API server refuses it
  String send(HasMetadata object, String patch) throws IOException, InterruptedException {
    var http = client.getHttpClient();
    HttpRequest request =
        http.newHttpRequestBuilder()
            .uri(address(object))
            .setHeader("Accept", PARTIAL)
            .method("PATCH", "application/merge-patch+json", patch)
            .timeout(client.getConfiguration().getRequestTimeout(), TimeUnit.MILLISECONDS)
            .build();
    var sent = http.sendAsync(request, String.class);
    try {
      HttpResponse<String> response = sent.get();
      if (!response.isSuccessful()) {
        throw new KubernetesClientException(
            response.message(), response.code(), status(response.body()));
      }
      return KubernetesJson.MAPPER
          .readTree(response.body())
          .at("/metadata/resourceVersion")
          .asText();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } finally {
      sent.cancel(true);
    }
  }

  private String address(HasMetadata object) {
    String server = client.getMasterUrl().toString();
    String root = server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
    return root
        + ObjectPath.of(object)
        + "?fieldManager="
        + URLEncoder.encode(manager.name(), StandardCharsets.UTF_8);
  }

  /// What the API server says of a refusal; a proxy on the way may say something else.
  private static Status status(String body) {
    try {
      return KubernetesJson.MAPPER.readValue(body, Status.class);
    } catch (IOException e) {
      var status = new Status();
      status.setMessage(body);
      return status;
    }
  }
}
