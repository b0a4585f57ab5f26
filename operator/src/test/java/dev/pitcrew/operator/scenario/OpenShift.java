package dev.pitcrew.operator.scenario;

import dev.pitcrew.testbed.Definitions;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// The kinds of OpenShift that the operator looks at, as custom resources without a schema, an
/// OpenShift 4.16 in them, and the rights that the chart gives there. Taken away when closed.
record OpenShift(KubernetesClient client, List<CustomResourceDefinition> definitions)
    implements AutoCloseable {
  private static final long LIMIT_SECONDS = 30;
  private static final String OBJECTS =
      """
      apiVersion: config.openshift.io/v1
      kind: ClusterVersion
      metadata: {name: version}
      status: {history: [{state: Completed, version: 4.16.3}]}
      ---
      apiVersion: config.openshift.io/v1
      kind: Proxy
      metadata: {name: cluster}
      spec: {}
      ---
      apiVersion: v1
      kind: Namespace
      metadata: {name: openshift}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: openshift-rights}
      rules:
        - apiGroups: [config.openshift.io, image.openshift.io]
          resources: [clusterversions, proxies, imagestreams]
          verbs: [get, list, watch]
        - apiGroups: [security.openshift.io]
          resources: [securitycontextconstraints]
          verbs: [get, list, watch, create, patch, delete]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: openshift-rights}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: openshift-rights}
      subjects: [{kind: ServiceAccount, namespace: gpu-operator, name: gpu-operator}]
      ---
      apiVersion: image.openshift.io/v1
      kind: ImageStream
      metadata: {name: driver-toolkit, namespace: openshift}
      spec: {tags: [{name: 416.94.202405, from: {name: "example.com/driver-toolkit:416"}}]}
      """;

  static OpenShift installed(KubernetesClient client) {
    var definitions =
        List.of(
            definition("config.openshift.io", "ClusterVersion", "clusterversions", "Cluster"),
            definition("config.openshift.io", "Proxy", "proxies", "Cluster"),
            definition("image.openshift.io", "ImageStream", "imagestreams", "Namespaced"),
            definition(
                "security.openshift.io",
                "SecurityContextConstraints",
                "securitycontextconstraints",
                "Cluster"));
    definitions.forEach(definition -> client.resource(definition).create());
    definitions.forEach(definition ->
        client
            .resource(definition)
            .waitUntilCondition(Definitions::isEstablished, LIMIT_SECONDS, TimeUnit.SECONDS));
    client.load(new ByteArrayInputStream(OBJECTS.getBytes(StandardCharsets.UTF_8))).create();
    return new OpenShift(client, definitions);
  }

  /// Makes a node one of RHEL CoreOS.
  void release(String node, String release) {
    client
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"metadata": {"labels": {
              "feature.node.kubernetes.io/system-os_release.ID": "rhcos",
              "feature.node.kubernetes.io/system-os_release.VERSION_ID": "4.16",
              "feature.node.kubernetes.io/system-os_release.OSTREE_VERSION": "%s"}}}
            """
                .formatted(release));
  }

  @Override
  public void close() {
    definitions.forEach(definition -> client.resource(definition).delete());
    definitions.forEach(definition ->
        client
            .resource(definition)
            .waitUntilCondition(Objects::isNull, LIMIT_SECONDS, TimeUnit.SECONDS));
    client.namespaces().withName("openshift").delete();
    client.rbac().clusterRoleBindings().withName("openshift-rights").delete();
    client.rbac().clusterRoles().withName("openshift-rights").delete();
  }

  private static CustomResourceDefinition definition(
      String group, String kind, String plural, String scope) {
    return new CustomResourceDefinitionBuilder()
        .withNewMetadata()
        .withName(plural + "." + group)
        .endMetadata()
        .withNewSpec()
        .withGroup(group)
        .withScope(scope)
        .withNewNames()
        .withKind(kind)
        .withPlural(plural)
        .endNames()
        .addNewVersion()
        .withName("v1")
        .withServed(true)
        .withStorage(true)
        .withNewSchema()
        .withNewOpenAPIV3Schema()
        .withType("object")
        .withXKubernetesPreserveUnknownFields(true)
        .endOpenAPIV3Schema()
        .endSchema()
        .endVersion()
        .endSpec()
        .build();
  }
}
