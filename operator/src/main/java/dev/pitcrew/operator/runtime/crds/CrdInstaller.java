package dev.pitcrew.operator.runtime.crds;

import dev.pitcrew.core.names.FieldManagers;
import io.fabric8.kubernetes.api.model.APIResourceList;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Writes definitions to one API server.
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
    for (CrdDocument definition : definitions) {
      definitions()
          .resource(definition.body())
          .fieldManager(FieldManagers.OPERATOR)
          .forceConflicts()
          .serverSideApply();
      progress.accept("applied " + definition.name());
    }
    definitions.forEach(definition -> awaitServed(definition, servedWithin));
  }

  /// Removes those that are there, without waiting for their objects to go.
  void delete(List<CrdDocument> definitions) {
    for (CrdDocument definition : definitions) {
      boolean existed = !definitions().withName(definition.name()).delete().isEmpty();
      progress.accept((existed ? "deleted " : "not there: ") + definition.name());
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
