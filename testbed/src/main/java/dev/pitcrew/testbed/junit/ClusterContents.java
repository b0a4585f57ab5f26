package dev.pitcrew.testbed.junit;

import dev.pitcrew.testbed.Concurrently;
import dev.pitcrew.testbed.Definitions;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// What a test can leave behind that no namespace takes with it: cluster-scoped objects, and custom
/// resources of every kind. Definitions of custom resources stay, because they are slow to come
/// back and say nothing about a test.
record ClusterContents(KubernetesClient client, Map<String, GenericKubernetesResource> byUid) {
  private static final List<ResourceDefinitionContext> CLUSTER_SCOPED =
      List.of(
          Definitions.cluster("", "v1", "Node", "nodes"),
          Definitions.cluster("", "v1", "PersistentVolume", "persistentvolumes"),
          Definitions.cluster("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles"),
          Definitions.cluster(
              "rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings"),
          Definitions.cluster("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses"),
          Definitions.cluster("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses"),
          Definitions.cluster("resource.k8s.io", "v1", "DeviceClass", "deviceclasses"),
          Definitions.cluster("resource.k8s.io", "v1", "ResourceSlice", "resourceslices"),
          Definitions.cluster(
              "admissionregistration.k8s.io",
              "v1",
              "ValidatingWebhookConfiguration",
              "validatingwebhookconfigurations"),
          Definitions.cluster(
              "admissionregistration.k8s.io",
              "v1",
              "MutatingWebhookConfiguration",
              "mutatingwebhookconfigurations"),
          Definitions.cluster(
              "admissionregistration.k8s.io",
              "v1",
              "ValidatingAdmissionPolicy",
              "validatingadmissionpolicies"),
          Definitions.cluster(
              "admissionregistration.k8s.io",
              "v1",
              "ValidatingAdmissionPolicyBinding",
              "validatingadmissionpolicybindings"));

  static ClusterContents of(KubernetesClient client) {
    var objects = new ConcurrentHashMap<String, GenericKubernetesResource>();
    Concurrently.forEach(
        Stream.concat(CLUSTER_SCOPED.stream(), customResources(client)).toList(),
        kind ->
            list(client, kind)
                .forEach(object -> objects.put(object.getMetadata().getUid(), object)));
    return new ClusterContents(client, objects);
  }

  /// Deletes what was not there `before`; a finalizer whose controller is gone does not stop it.
  void deleteAllBut(ClusterContents before) {
    var leftovers =
        byUid.entrySet().stream()
            .filter(entry -> !before.byUid.containsKey(entry.getKey()))
            .map(Map.Entry::getValue)
            .toList();
    Concurrently.forEach(leftovers, this::delete);
  }

  private void delete(GenericKubernetesResource object) {
    var resource = client.resource(object);
    resource.withGracePeriod(0).delete();
    if (!object.getMetadata().getFinalizers().isEmpty()) {
      resource.patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
    }
  }

  private static Stream<ResourceDefinitionContext> customResources(KubernetesClient client) {
    return client.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
        .map(CustomResourceDefinitionContext::fromCrd);
  }

  /// Nothing of a kind that is not served: its definition may be on its way in or out.
  private static Stream<GenericKubernetesResource> list(
      KubernetesClient client, ResourceDefinitionContext kind) {
    try {
      return client.genericKubernetesResources(kind).inAnyNamespace().list().getItems().stream();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Stream.empty();
      }
      throw e;
    }
  }
}
