package dev.pitcrew.testbed.scenario.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.utils.URLUtils;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// One API server, addressed by paths such as `/api/v1/nodes`; every call blocks.
///
/// The client retries what the server asks to retry (too many requests, not ready yet).
public final class ApiServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PLAIN_JSON = "application/json";
  private static final String MERGE_PATCH = "application/merge-patch+json";
  private static final Set<Integer> NOT_SERVED = Set.of(404, 405);
  private static final Set<Integer> GONE_OR_CHANGED = Set.of(404, 409);

  private final KubernetesClient client;

  private ApiServer(KubernetesClient client) {
    this.client = client;
  }

  /// The server of a kubeconfig's current context.
  public static ApiServer of(Path kubeconfig) {
    var config = Config.fromKubeconfig(kubeconfig.toFile());
    // The JDK transport would ask a cleartext server to switch to HTTP/2, which is refused.
    config.setHttp2Disable(config.getMasterUrl().startsWith("http://"));
    return new ApiServer(new KubernetesClientBuilder().withConfig(config).build());
  }

  /// The client underneath, for watching.
  public KubernetesClient client() {
    return client;
  }

  /// The object or list at a path; empty where it does not exist or its kind is not served.
  public Optional<JsonNode> find(String path) {
    var answer = send("GET", path, PLAIN_JSON, null);
    return NOT_SERVED.contains(answer.code())
        ? Optional.empty()
        : Optional.of(parse(checked("GET", path, answer)));
  }

  /// Whether the server knows the kind at a path.
  public boolean serves(String path) {
    return find(path + "?limit=1").isPresent();
  }

  /// The objects of a list path; none where the kind is not served.
  public List<JsonNode> list(String path) {
    var objects = new ArrayList<JsonNode>();
    find(path).orElse(MissingNode.getInstance()).path("items").forEach(objects::add);
    return objects;
  }

  public void create(String path, JsonNode object) {
    checked("POST", path, send("POST", path, PLAIN_JSON, object));
  }

  /// Applies a JSON merge patch.
  ///
  /// @return whether the object is still there and took the patch
  public boolean mergePatch(String path, JsonNode patch) {
    var answer = send("PATCH", path, MERGE_PATCH, patch);
    if (GONE_OR_CHANGED.contains(answer.code())) {
      return false;
    }
    checked("PATCH", path, answer);
    return true;
  }

  /// Deletes an object, which may be gone already.
  ///
  /// @param options the fields of Kubernetes' DeleteOptions
  public void delete(String path, JsonNode options) {
    var answer = send("DELETE", path, PLAIN_JSON, options);
    if (!GONE_OR_CHANGED.contains(answer.code())) {
      checked("DELETE", path, answer);
    }
  }

  private HttpResponse<String> send(
      String method, String path, String contentType, @Nullable JsonNode body) {
    var http = client.getHttpClient();
    var uri = URI.create(URLUtils.join(client.getMasterUrl().toString(), path));
    var text = body == null ? null : body.toString();
    var request = http.newHttpRequestBuilder().uri(uri).method(method, contentType, text).build();
    try {
      return http.sendAsync(request, String.class).get();
    } catch (ExecutionException e) {
      throw new ApiFailure(method, path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ApiFailure(method, path, e);
    }
  }

  private static String checked(String method, String path, HttpResponse<String> answer) {
    if (!answer.isSuccessful()) {
      throw new ApiFailure(method, path, answer.code(), answer.body());
    }
    return answer.body();
  }

  private static JsonNode parse(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("the API server's answer is not JSON", e);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
