package dev.pitcrew.operator.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// A cluster has one ClusterPolicy in force, written in the terms of this release.
class PoliciesTest extends SharedSceneTest {
  private static final Duration SOON = Duration.ofSeconds(90);

  /// The test's finalizer is in the place of pods that take their time.
  private static final String CONSUMER =
      """
      {"apiVersion": "apps/v1", "kind": "DaemonSet",
       "metadata": {"name": "consumer", "namespace": "%s", "finalizers": ["pitcrew.test/pods"],
         "ownerReferences": [{"apiVersion": "nvidia.com/v1alpha1", "kind": "GPUCluster",
           "name": "gpu-cluster", "uid": "%s", "controller": true}]},
       "spec": {"selector": {"matchLabels": {"app": "consumer"}},
         "template": {"metadata": {"labels": {"app": "consumer"}},
           "spec": {"nodeSelector": {"none": "of-them"},
             "resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}],
             "containers": [{"name": "c", "image": "i"}]}}}}
      """;

  private static final String GPU_CLUSTER =
      """
      {"apiVersion": "nvidia.com/v1alpha1", "kind": "GPUCluster", "metadata": {"name": "gpu-cluster"},
       "spec": {"draDriver": {}}}
      """;

  @Override
  void enter() throws IOException, InterruptedException {
    scene.stage().enter(Scene.scenario("default-one-gpu-node"));
    scene.serve("default-one-gpu-node");
  }

  @Override
  void undo() {
    client.genericKubernetesResources("nvidia.com/v1alpha1", "GPUCluster").delete();
    new Policy(client, "another-policy").delete();
  }

  @Override
  public void leave() {
    Scene.installDefinitions(controlPlane);
    super.leave();
  }

  @Test
  void aSecondPolicyIsIgnoredUntilTheFirstGoes() throws IOException, InterruptedException {
    var running = scene.workloads().versions();
    var second = new Policy(scene.client(), "another-policy");
    second.create(Scene.scenario("default-one-gpu-node"));

    second.awaitState("ignored", SOON);
    assertThat(second.messageOf("Error")).contains("cluster-policy").contains("delete");
    await().atMost(SOON).until(() -> !second.notes("Warning").isEmpty());
    scene.settle();
    assertThat(scene.policy().state()).isEqualTo("ready");
    assertThat(scene.workloads().versions()).isEqualTo(running);

    scene.policy().delete();

    second.awaitState("ready", SOON);
    scene.settle();
    assertThat(scene.workloads().versions().keySet()).isEqualTo(running.keySet());
    assertThat(scene.workloads().owners()).containsOnly(second.uid());
  }

  @Test
  void aGpuClusterAndAPolicyStandStillUntilOneIsDeleted() throws InterruptedException {
    var running = scene.workloads().versions();
    var cluster =
        client
            .genericKubernetesResources("nvidia.com/v1alpha1", "GPUCluster")
            .withName("gpu-cluster");
    client.resource(GPU_CLUSTER).create();

    assertThat(scene.policy().awaitError("gpu-cluster"))
        .contains("kubectl delete gpucluster gpu-cluster");
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(String.valueOf(cluster.get().<Object>get("status")))
                .contains("state=notReady", "reason=PrerequisiteNotMet")
                .contains("kubectl delete clusterpolicy cluster-policy"));
    scene.settle();
    assertThat(scene.workloads().versions()).isEqualTo(running);

    cluster.delete();

    scene.policy().awaitReady();
  }

  /// As one that the NVIDIA GPU Operator has reconciled before a take-over.
  @Test
  void aGpuClusterThatIsDeletedGoesAfterTheConsumersOfItsClaims() {
    var cluster =
        client
            .genericKubernetesResources("nvidia.com/v1alpha1", "GPUCluster")
            .withName("gpu-cluster");
    client.resource(GPU_CLUSTER).create();
    cluster.patch(
        PatchContext.of(PatchType.JSON_MERGE),
        """
        {"metadata": {"finalizers": ["gpucluster.nvidia.com/dra-resourceclaim"]}}
        """);
    client
        .resource(CONSUMER.formatted(Scene.NAMESPACE, cluster.require().getMetadata().getUid()))
        .create();
    var consumers = client.apps().daemonSets().inNamespace(Scene.NAMESPACE).withName("consumer");

    cluster.delete();
    await()
        .atMost(SOON)
        .until(() -> consumers.require().getMetadata().getDeletionTimestamp() != null);
    assertThat(cluster.get()).as("its consumers have not ended").isNotNull();

    consumers.patch(
        PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\": {\"finalizers\": null}}");
    await().atMost(SOON).until(() -> cluster.get() == null);
    assertThat(client.events().v1().events().inNamespace("default").list().getItems())
        .filteredOn(event -> "DrainingClaimConsumers".equals(event.getReason()))
        .extracting(event -> event.getNote())
        .singleElement()
        .asString()
        .contains("consumer");
    scene.policy().awaitReady();
  }

  @Test
  void anOldDefinitionIsNamedUntilTheNewOneIsApplied() throws InterruptedException {
    var running = scene.workloads().versions();
    new PolicyDefinition(scene.client()).drop("gdrcopy");

    var message =
        scene
            .policy()
            .awaitError("clusterpolicies.nvidia.com", "spec.gdrcopy", "manage-crds apply");
    assertThat(scene.policy().state()).isEqualTo("notReady");
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(scene.policy().notes("Warning")).contains(message));
    assertThat(scene.workloads().versions()).isEqualTo(running);

    Scene.installDefinitions(scene.controlPlane());

    scene.policy().awaitReady();
    scene.settle();
    assertThat(scene.workloads().versions()).isEqualTo(running);
  }
}
