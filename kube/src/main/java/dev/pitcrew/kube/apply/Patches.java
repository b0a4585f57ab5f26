package dev.pitcrew.kube.apply;

import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.kube.ObjectKey;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/// The writes that touch a part of an object, and deletes.
final class Patches {

  static final int UNPROCESSABLE = 422;

  private final KubernetesClient client;
  private final KubernetesSerialization json;
  private final FieldManager manager;
  private final Writes writes;
  private final MetadataPatch metadataPatch;

  Patches(KubernetesClient client, FieldManager manager, Writes writes) {
    this.client = client;
    this.json = client.getKubernetesSerialization();
    this.manager = manager;
    this.writes = writes;
    this.metadataPatch = new MetadataPatch(client, manager);
  }

  ApplyResult metadata(
      HasMetadata live,
      Map<String, @Nullable String> labels,
      Map<String, @Nullable String> annotations) {
    var metadata = JsonNodeFactory.instance.objectNode();
    metadata.set("labels", texts(labels));
    metadata.set("annotations", texts(annotations));
    JsonNode before = json.convertValue(live.getMetadata(), JsonNode.class);
    ObjectNode changes = Canonical.changes(before, metadata);
    if (changes.isEmpty()) {
      return new ApplyResult.Unchanged();
    }
    return new ApplyResult.Applied(
        writes.perform(
            Verb.PATCH,
            ObjectKey.of(live),
            () -> metadataPatch.send(live, patch("metadata", changes))));
  }

  Optional<String> ifUnchanged(HasMetadata live, ObjectNode change) {
    change.withObject("/metadata").put("resourceVersion", live.getMetadata().getResourceVersion());
    try {
      return Optional.of(
          writes.perform(
              Verb.PATCH, ObjectKey.of(live), () -> metadataPatch.send(live, change.toString())));
    } catch (KubeException e) {
      if (e.status() == HTTP_CONFLICT || e.status() == HTTP_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  ApplyResult status(HasMetadata live, JsonNode status) {
    JsonNode before = json.convertValue(live, JsonNode.class).path("status");
    ObjectNode changes = Canonical.changes(before, asClassWrites(live, status));
    if (changes.isEmpty()) {
      return new ApplyResult.Unchanged();
    }
    return applied(
        Verb.STATUS,
        live,
        () ->
            client
                .resource(live)
                .subresource("status")
                .patch(context(PatchType.JSON_MERGE), patch("status", changes)));
  }

  ApplyResult operations(HasMetadata live, JsonNode operations) {
    return applied(
        Verb.PATCH,
        live,
        () -> client.resource(live).patch(context(PatchType.JSON), operations.toString()));
  }

  ApplyResult statusPart(HasMetadata live, JsonNode part) {
    return applied(
        Verb.STATUS,
        live,
        () ->
            client
                .resource(live)
                .subresource("status")
                .patch(context(PatchType.STRATEGIC_MERGE), part.toString()));
  }

  private ApplyResult applied(Verb verb, HasMetadata live, Callable<? extends HasMetadata> patch) {
    return new ApplyResult.Applied(
        writes.perform(verb, ObjectKey.of(live), patch).getMetadata().getResourceVersion());
  }

  void takeOver(ObjectKey key, HasMetadata object, String patch) {
    writes.perform(
        Verb.TAKEOVER, key, () -> client.resource(object).patch(context(PatchType.JSON), patch));
  }

  /// Reads the object with its field sets, which caches leave out.
  Optional<HasMetadata> read(HasMetadata object) {
    return Writes.send(
        Verb.TAKEOVER,
        ObjectKey.of(object),
        () -> Optional.ofNullable(client.resource(object).get()));
  }

  void hold(HasMetadata live, String finalizer) {
    try {
      finalizers(live, "finalizers", finalizer);
    } catch (KubeException e) {
      if (e.status() != UNPROCESSABLE) { // 422: it is being deleted, and takes none any more
        throw e;
      }
    }
  }

  void release(HasMetadata live, String finalizer) {
    finalizers(live, "$deleteFromPrimitiveList/finalizers", finalizer);
  }

  /// A strategic merge patch changes only the finalizers that it names, so that those of other
  /// writers are kept.
  private void finalizers(HasMetadata live, String change, String finalizer) {
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    metadata.put("uid", live.getMetadata().getUid());
    metadata.putArray(change).add(finalizer);
    unlessGone(() ->
        writes.perform(
            Verb.PATCH,
            ObjectKey.of(live),
            () ->
                client
                    .resource(live)
                    .patch(context(PatchType.STRATEGIC_MERGE), patch("metadata", metadata))));
  }

  void delete(HasMetadata live, Dependents dependents) {
    DeleteOptions options =
        onlyThis(live).withPropagationPolicy(dependents.propagationPolicy()).build();
    unlessGone(
        () -> writes.perform(Verb.DELETE, ObjectKey.of(live), () -> sendDelete(live, options)));
  }

  void rehearseDelete(HasMetadata live) {
    DeleteOptions options = onlyThis(live).withDryRun("All").build();
    unlessGone(() -> Writes.send(Verb.DELETE, ObjectKey.of(live), () -> sendDelete(live, options)));
  }

  private Optional<String> sendDelete(HasMetadata live, DeleteOptions options) {
    return Optional.ofNullable(client.raw(ObjectPath.of(live), "DELETE", options));
  }

  private static DeleteOptionsBuilder onlyThis(HasMetadata live) {
    return new DeleteOptionsBuilder().withNewPreconditions(null, live.getMetadata().getUid());
  }

  private static void unlessGone(Runnable write) {
    try {
      write.run();
    } catch (KubeException e) {
      if (e.status() != HTTP_NOT_FOUND
          && e.status() != HTTP_CONFLICT) { // 409: another object has the name by now
        throw e;
      }
    }
  }

  private static String patch(String field, ObjectNode changes) {
    return JsonNodeFactory.instance.objectNode().<ObjectNode>set(field, changes).toString();
  }

  private PatchContext context(PatchType type) {
    return new PatchContext.Builder().withPatchType(type).withFieldManager(manager.name()).build();
  }

  /// What is left of the status after it has passed through the class of the live object, which
  /// leaves out some empty values; else an empty list would differ from a missing one for ever.
  private JsonNode asClassWrites(HasMetadata live, JsonNode status) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object
        .put("apiVersion", live.getApiVersion())
        .put("kind", live.getKind())
        .set("status", status);
    ObjectNode written =
        json.convertValue(json.convertValue(object, live.getClass()), ObjectNode.class);
    ObjectNode result =
        written.path("status") instanceof ObjectNode fields
            ? fields
            : JsonNodeFactory.instance.objectNode();
    status.properties().stream()
        .filter(field -> field.getValue().isNull())
        .forEach(field -> result.set(field.getKey(), field.getValue()));
    return result;
  }

  private static ObjectNode texts(Map<String, @Nullable String> texts) {
    var node = JsonNodeFactory.instance.objectNode();
    texts.forEach(node::put);
    return node;
  }
}
