package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.operator.cluster.OpenShift;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/// What OpenShift reports about its cluster. A cluster without a ClusterVersion gets no requests.
final class OpenShiftCaches implements AutoCloseable {
  private final KubernetesClient client;
  private final Runnable changed;
  private final List<Cache<GenericKubernetesResource>> caches = new CopyOnWriteArrayList<>();

  /// @param changed run when OpenShift says something else
  OpenShiftCaches(KubernetesClient client, Runnable changed) {
    this.client = client;
    this.changed = changed;
  }

  /// Starts to watch; called once, when the cluster is known to be OpenShift.
  void start() {
    caches.add(cache(Kinds.CLUSTER_VERSION, Function.identity()));
    caches.add(cache(Kinds.PROXY, Function.identity()));
    caches.add(
        cache(
            Kinds.IMAGE_STREAM,
            options ->
                options.inNamespace("openshift").withFields("metadata.name=driver-toolkit")));
  }

  /// Whether [#gather] is complete. A plan without the OpenShift data would remove the DaemonSets
  /// of its CoreOS releases.
  boolean isKnown() {
    return caches.stream().allMatch(Cache::isSynced);
  }

  Optional<OpenShift> gather() {
    return object("ClusterVersion", "", "version")
        .flatMap(OpenShiftCaches::completedVersion)
        .map(this::openShift);
  }

  @Override
  public void close() {
    caches.forEach(Cache::close);
  }

  private OpenShift openShift(String version) {
    Optional<JsonNode> proxy = object("Proxy", "", "cluster");
    Optional<JsonNode> stream = object("ImageStream", "openshift", "driver-toolkit");
    return new OpenShift(
        version,
        proxy.map(OpenShiftCaches::proxyVariables).orElseGet(TreeMap::new),
        proxy
            .map(object -> object.path("spec").path("trustedCA").path("name").asText(""))
            .filter(name -> !name.isEmpty()),
        stream.map(OpenShiftCaches::images),
        stream.map(OpenShiftCaches::isBroken).orElse(false));
  }

  /// Major and minor of the newest version that was installed completely.
  private static Optional<String> completedVersion(JsonNode clusterVersion) {
    for (JsonNode entry : clusterVersion.path("status").path("history")) {
      if (entry.path("state").asText().equals("Completed")) {
        String[] parts = entry.path("version").asText().split("\\.", 3);
        return parts.length < 2 ? Optional.empty() : Optional.of(parts[0] + "." + parts[1]);
      }
    }
    return Optional.empty();
  }

  private static SortedMap<String, String> proxyVariables(JsonNode proxy) {
    var fields =
        Map.of("HTTPS_PROXY", "httpsProxy", "HTTP_PROXY", "httpProxy", "NO_PROXY", "noProxy");
    SortedMap<String, String> variables = new TreeMap<>();
    fields.forEach((variable, field) -> {
      String value = proxy.path("spec").path(field).asText("");
      if (!value.isEmpty()) {
        variables.put(variable, value);
      }
    });
    return variables;
  }

  private static Map<String, String> images(JsonNode stream) {
    Map<String, String> images = new HashMap<>();
    for (JsonNode tag : stream.path("spec").path("tags")) {
      String name = tag.path("name").asText("");
      String image = tag.path("from").path("name").asText("");
      if (!name.isEmpty() && !name.equals("latest") && !image.isEmpty()) {
        images.put(name, image);
      }
    }
    return images;
  }

  private static boolean isBroken(JsonNode stream) {
    for (JsonNode tag : stream.path("spec").path("tags")) {
      if (tag.path("name").asText("").isEmpty()) {
        return true;
      }
    }
    return false;
  }

  private Optional<JsonNode> object(String kind, String namespace, String name) {
    return caches.stream()
        .flatMap(cache -> cache.get(namespace, name).stream())
        .filter(object -> object.getKind().equals(kind))
        .findFirst()
        .map(object -> KubernetesJson.MAPPER.valueToTree(object.getAdditionalProperties()));
  }

  private Cache<GenericKubernetesResource> cache(
      ResourceDefinitionContext kind,
      Function<CacheOptions<GenericKubernetesResource>, CacheOptions<GenericKubernetesResource>>
          narrowed) {
    var cache = Cache.ofGeneric(client, kind, narrowed.apply(CacheOptions.all()));
    cache.listen(_ -> changed.run());
    return cache.start();
  }
}
