package dev.pitcrew.operator.runtime.crds;

import dev.pitcrew.core.names.FieldManagers;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Writes definitions to one API server. A definition that other charts bring, too, is written and
/// deleted only where this chart has brought it.
final class CrdInstaller {
  private static final Duration POLL = Duration.ofMillis(100);
  private static final ResourceDefinitionContext DEFINITIONS =
      new ResourceDefinitionContext.Builder()
          .withGroup("apiextensions.k8s.io")
          .withVersion("v1")
          .withKind(CrdDocument.KIND)
          .withPlural("customresourcedefinitions")
          .withNamespaced(false)
          .build();

  private final KubernetesClient client;
  private final Consumer<String> progress;

  CrdInstaller(KubernetesClient client, Consumer<String> progress) {
    this.client = client;
    this.progress = progress;
  }

  /// Writes all of them, then waits for each until its versions are served.
  ///
  /// @param servedWithin how long to wait for one definition
  /// @throws CrdException when one is not served in time
  void apply(List<CrdDocument> definitions, Duration servedWithin) {
    var applied = new ArrayList<CrdDocument>();
    for (CrdDocument definition : definitions) {
      if (definition.isOfAnother(live(definition))) {
        progress.accept("left unchanged, as another chart has installed it: " + definition.name());
        continue;
      }
      definitions()
          .resource(definition.body())
          .fieldManager(FieldManagers.OPERATOR)
          .forceConflicts()
          .serverSideApply();
      progress.accept("applied " + definition.name());
      applied.add(definition);
    }
    applied.forEach(definition -> awaitServed(definition, servedWithin));
  }

  /// Removes those that are there, without waiting for their objects to go. One that other charts
  /// bring, too, stays if it is theirs, or has objects.
  void delete(List<CrdDocument> definitions) {
    for (CrdDocument definition : definitions) {
      if (definition.isOfAnother(live(definition))) {
        progress.accept("left, as another chart has installed it: " + definition.name());
      } else if (definition.isShared() && hasObjects(definition)) {
        progress.accept("left, as another chart uses it: " + definition.name());
      } else {
        boolean existed = !definitions().withName(definition.name()).delete().isEmpty();
        progress.accept((existed ? "deleted " : "not there: ") + definition.name());
      }
    }
  }

  private @Nullable GenericKubernetesResource live(CrdDocument definition) {
    return definition.isShared() ? definitions().withName(definition.name()).get() : null;
  }

  private boolean hasObjects(CrdDocument definition) {
    try {
      return !client
          .genericKubernetesResources(definition.objects())
          .inAnyNamespace()
          .list(new ListOptionsBuilder().withLimit(1L).build())
          .getItems()
          .isEmpty();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private void awaitServed(CrdDocument definition, Duration within) {
    long deadline = System.nanoTime() + within.toNanos();
    for (String groupVersion : definition.servedGroupVersions()) {
      while (!isServed(groupVersion, definition.plural())) {
        if (System.nanoTime() > deadline) {
          throw new CrdException(
              "%s is stored but %s is not served after %d s; its conditions say why: kubectl get crd %s -o yaml"
                  .formatted(
                      definition.name(), groupVersion, within.toSeconds(), definition.name()));
        }
        pause();
      }
    }
    progress.accept("served " + definition.name());
  }

  private boolean isServed(String groupVersion, String plural) {
    @Nullable APIResourceList resources = client.getApiResources(groupVersion);
    return resources != null
        && resources.getResources().stream()
            .anyMatch(resource -> plural.equals(resource.getName()));
  }

  /// Discovery cannot be watched, and the condition Established says nothing about a version that
  /// was added later.
  private static void pause() {
    try {
      Thread.sleep(POLL);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CrdException(
          "interrupted while waiting for a definition to be served", interrupted);
    }
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      definitions() {
    return client.genericKubernetesResources(DEFINITIONS);
  }
}
