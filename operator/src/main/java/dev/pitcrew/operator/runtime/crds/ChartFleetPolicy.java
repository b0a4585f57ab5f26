package dev.pitcrew.operator.runtime.crds;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The FleetPolicy of the chart where Helm cannot bring it. Helm resolves all kinds of an upgrade
/// before its first hook, so the upgrade that brings the definition cannot have the object. The
/// next upgrade makes the object a part of the release and compares nothing then: what changed in
/// the values since would be lost.
///
/// 1. Where there is none it is created, with its specification in an annotation.
/// 2. Where one has the annotation, what has changed since is merged into it, and nothing else:
///    what users have changed beside the chart stays, as with a release of Helm's.
/// 3. Any other is Helm's, or a user's, and stays as it is.
final class ChartFleetPolicy {
  private static final String LAST = "pitcrew.dev/spec-of-chart";

  private final KubernetesClient client;
  private final Consumer<String> progress;

  ChartFleetPolicy(KubernetesClient client, Consumer<String> progress) {
    this.client = client;
    this.progress = progress;
  }

  /// @param json the whole object
  /// @throws CrdException where that is no object
  void apply(String json) {
    JsonNode wanted = read(json, "--fleet-policy");
    Resource<GenericKubernetesResource> there =
        client
            .genericKubernetesResources(
                wanted.path("apiVersion").asText(), wanted.path("kind").asText())
            .withName(wanted.at("/metadata/name").asText());
    @Nullable GenericKubernetesResource live = there.get();
    if (live == null) {
      create((ObjectNode) wanted);
    } else {
      merge(there, live, wanted.path("spec"));
    }
  }

  private void create(ObjectNode wanted) {
    wanted
        .withObject("/metadata")
        .withObject("/annotations")
        .put(LAST, wanted.path("spec").toString());
    client
        .resource(
            client
                .getKubernetesSerialization()
                .convertValue(wanted, GenericKubernetesResource.class))
        .create();
    progress.accept("created " + named(wanted));
  }

  private void merge(
      Resource<GenericKubernetesResource> there, GenericKubernetesResource live, JsonNode spec) {
    @Nullable String last =
        live.getMetadata().getAnnotations() == null
            ? null
            : live.getMetadata().getAnnotations().get(LAST);
    if (last == null || last.equals(spec.toString())) {
      return;
    }
    ObjectNode patch = KubernetesJson.MAPPER.createObjectNode();
    patch.withObject("/metadata").withObject("/annotations").put(LAST, spec.toString());
    patch.set("spec", changes(read(last, "annotation " + LAST), spec));
    there.patch(PatchContext.of(PatchType.JSON_MERGE), patch.toString());
    progress.accept("updated " + live.getKind() + "/" + live.getMetadata().getName());
  }

  /// A JSON merge patch (RFC 7396) that turns one into the other.
  private static ObjectNode changes(JsonNode from, JsonNode to) {
    ObjectNode changes = KubernetesJson.MAPPER.createObjectNode();
    from.fieldNames()
        .forEachRemaining(key -> {
          if (!to.has(key)) {
            changes.putNull(key);
          }
        });
    to.properties()
        .forEach(field -> {
          JsonNode before = from.path(field.getKey());
          JsonNode after = field.getValue();
          if (before.isObject() && after.isObject()) {
            ObjectNode below = changes(before, after);
            if (!below.isEmpty()) {
              changes.set(field.getKey(), below);
            }
          } else if (!Objects.equals(before, after)) {
            changes.set(field.getKey(), after);
          }
        });
    return changes;
  }

  private static JsonNode read(String json, String origin) {
    try {
      JsonNode read = KubernetesJson.MAPPER.readTree(json);
      if (read.isObject()) {
        return read;
      }
    } catch (JsonProcessingException e) {
      throw new CrdException(origin + " is no JSON: " + e.getOriginalMessage(), e);
    }
    throw new CrdException(origin + " is no JSON object");
  }

  private static String named(JsonNode object) {
    return object.path("kind").asText() + "/" + object.at("/metadata/name").asText();
  }
}
