package dev.pitcrew.cli.command;

import static dev.pitcrew.cli.command.PluginCluster.LIMIT;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;

/// A roll-out as its operator would have written it, with a DaemonSet of drivers and its pods.
///
/// @param namespace of the drivers
record RolloutScene(PluginCluster cluster, KubernetesClient client, String namespace) {
  static final String WANTED = "600.10.01";

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  void define() {
    cluster.defineFleet();
    cluster.define(
        List.of("nvidia.com_clusterpolicies.yaml", "nvidia.com_nvidiadrivers.yaml"),
        List.of("/apis/nvidia.com/v1/clusterpolicies", "/apis/nvidia.com/v1alpha1/nvidiadrivers"));
    cluster.createWithStatus(
        read(
            """
            apiVersion: nvidia.com/v1
            kind: ClusterPolicy
            metadata: {name: cluster-policy}
            spec:
              driver: {repository: nvcr.io/nvidia, image: driver, version: %s, upgradePolicy: {autoUpgrade: true, maxUnavailable: 25%%}}
              operator: {}
              toolkit: {}
              devicePlugin: {}
              dcgm: {}
              dcgmExporter: {}
              nodeStatusExporter: {}
              daemonsets: {}
              gfd: {}
            status:
              state: notReady
              conditions:
              - {type: Ready, status: 'False', reason: Error, message: m, observedGeneration: 1, lastTransitionTime: '2026-11-29T10:00:00Z'}
            """
                .formatted(WANTED)));
    client
        .resource(
            read(
                "apiVersion: pitcrew.dev/v1alpha1\nkind: FleetPolicy\nmetadata: {name: fleet}\nspec: {}"))
        .create();
    daemonSet(WANTED);
  }

  void clear() {
    client.apps().daemonSets().inNamespace(namespace).delete();
    client.pods().inNamespace(namespace).withGracePeriod(0).delete();
    await()
        .atMost(LIMIT)
        .until(() -> client.pods().inNamespace(namespace).list().getItems().isEmpty());
  }

  void node(String name, String driver, String rollout) {
    cluster.createWithStatus(
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Node
            metadata: {name: %s, labels: {nvidia.com/gpu.present: 'true', nvidia.com/gpu.deploy.driver: 'true'}}
            status:
              conditions: [{type: Ready, status: 'True'}]
            """
                .formatted(name),
            Node.class));
    cluster.gpuNode(name, "True", "Ready", "", "rollout: {" + rollout + "}");
    String uid =
        client
            .apps()
            .daemonSets()
            .inNamespace(namespace)
            .withName("driver")
            .get()
            .getMetadata()
            .getUid();
    client
        .resource(
            Serialization.unmarshal(
                """
                metadata:
                  name: driver-%s
                  namespace: %s
                  labels: {app.kubernetes.io/component: nvidia-driver}
                  ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: driver, uid: %s}]
                spec:
                  nodeName: %s
                  containers: [%s]
                """
                    .formatted(name, namespace, uid, name, container(driver)),
                Pod.class))
        .create();
  }

  /// Its selector keeps the real controller from the pods of these tests.
  void daemonSet(String driver) {
    client
        .resource(
            Serialization.unmarshal(
                """
                metadata: {name: driver, namespace: %s, labels: {app.kubernetes.io/component: nvidia-driver}}
                spec:
                  updateStrategy: {type: OnDelete}
                  selector: {matchLabels: {app: driver}}
                  template:
                    metadata: {labels: {app: driver, app.kubernetes.io/component: nvidia-driver}}
                    spec:
                      nodeSelector: {none: none}
                      containers: [%s]
                """
                    .formatted(namespace, container(driver)),
                DaemonSet.class))
        .serverSideApply();
  }

  private static String container(String driver) {
    return "{name: nvidia-driver-ctr, image: 'nvcr.io/nvidia/driver:%s-ubuntu22.04', env: [{name: DRIVER_CONFIG_DIGEST, value: 'of-%s'}]}"
        .formatted(driver, driver);
  }

  void rollout(String node, String status) {
    client
        .genericKubernetesResources("pitcrew.dev/v1alpha1", "GPUNode")
        .withName(node)
        .subresource("status")
        .patch(MERGE, "{\"status\":{\"rollout\":%s}}".formatted(status));
  }

  void patchPolicy(String patch) {
    client
        .genericKubernetesResources("nvidia.com/v1", "ClusterPolicy")
        .withName("cluster-policy")
        .patch(MERGE, patch);
  }

  GenericKubernetesResource policy() {
    return client
        .genericKubernetesResources("nvidia.com/v1", "ClusterPolicy")
        .withName("cluster-policy")
        .get();
  }

  GenericKubernetesResource fleet() {
    return client
        .genericKubernetesResources("pitcrew.dev/v1alpha1", "FleetPolicy")
        .withName("fleet")
        .get();
  }

  List<String> annotations(String node) {
    return client.nodes().withName(node).get().getMetadata().getAnnotations().entrySet().stream()
        .map(it -> it.getKey() + "=" + it.getValue())
        .filter(it -> it.startsWith("nvidia.com/"))
        .toList();
  }

  private static GenericKubernetesResource read(String yaml) {
    return Serialization.unmarshal(yaml, GenericKubernetesResource.class);
  }
}
