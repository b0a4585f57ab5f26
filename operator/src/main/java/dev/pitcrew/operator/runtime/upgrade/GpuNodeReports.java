package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.node.GpuNode;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// What agents say of their nodes, as far as an upgrade asks, kept up to date change by change.
final class GpuNodeReports implements AutoCloseable {
  private static final String STATUS = "status";
  private static final Set<String> CONDITIONS =
      Set.of(
          NodeCondition.DRIVER_READY.type(),
          NodeCondition.VALIDATED.type(),
          NodeCondition.DEVICES_ADVERTISED.type(),
          NodeCondition.HEALTHY.type());

  private final Cache<GenericKubernetesResource> cache;
  private final Runnable changed;
  private final Map<String, GpuNodeStatus> reports = new ConcurrentHashMap<>();

  private GpuNodeReports(
      KubernetesClient client, ResourceDefinitionContext kind, Runnable changed) {
    this.changed = changed;
    cache =
        Cache.ofGeneric(
            client,
            kind,
            CacheOptions.<GenericKubernetesResource>all().slimmedBy(GpuNodeReports::slim));
  }

  static GpuNodeReports start(
      KubernetesClient client, ResourceDefinitionContext kind, Runnable changed) {
    var reports = new GpuNodeReports(client, kind, changed);
    reports.cache.listen(reports::take);
    reports.cache.listenToLists(_ -> changed.run());
    reports.cache.start();
    return reports;
  }

  boolean isSynced() {
    return cache.isSynced();
  }

  boolean awaitSync(Duration limit) throws InterruptedException {
    return cache.awaitSync(limit);
  }

  /// What the agent of a node says; empty where the node has none, or it has said nothing yet.
  Optional<GpuNodeStatus> of(String node) {
    return Optional.ofNullable(reports.get(node));
  }

  Optional<GenericKubernetesResource> object(String node) {
    return cache.get("", node);
  }

  @Override
  public void close() {
    cache.close();
  }

  private void take(Change<GenericKubernetesResource> change) {
    String node = change.latest().getMetadata().getName();
    boolean isNews;
    if (change instanceof Change.Deleted<GenericKubernetesResource>) {
      isNews = reports.remove(node) != null;
    } else {
      GpuNodeStatus status = read(change.latest());
      isNews = isNews(reports.put(node, status), status);
    }
    if (isNews) {
      changed.run();
    }
  }

  /// Where the node stands in the roll-out is what we say ourselves.
  private static boolean isNews(@Nullable GpuNodeStatus before, GpuNodeStatus after) {
    return before == null
        || !before.driver().equals(after.driver())
        || !before.conditions().equals(after.conditions());
  }

  private static GpuNodeStatus read(GenericKubernetesResource node) {
    try {
      return ApiJson.read(node.getAdditionalProperties(), GpuNode.class).status();
    } catch (UnreadableResource _) {
      return GpuNodeStatus.ABSENT; // an agent of a later release; its node waits for words we know
    }
  }

  private static GenericKubernetesResource slim(GenericKubernetesResource node) {
    JsonNode all = KubernetesJson.MAPPER.valueToTree(node.getAdditionalProperties());
    JsonNode before = all.path(STATUS);
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    copy(before, status, "driver");
    copy(before, status, "rollout");
    ArrayNode conditions = status.putArray("conditions");
    before
        .path("conditions")
        .forEach(condition -> {
          if (CONDITIONS.contains(condition.path("type").asText())) {
            conditions.add(condition);
          }
        });
    node.setAdditionalProperties(Map.of(STATUS, status));
    node.getMetadata().setManagedFields(null);
    node.getMetadata().setLabels(null);
    node.getMetadata().setAnnotations(null);
    return node;
  }

  private static void copy(JsonNode from, ObjectNode to, String field) {
    if (from.has(field)) {
      to.set(field, from.path(field));
    }
  }
}
