package dev.pitcrew.testbed.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@WithControlPlane
class SimulatedNodesTest {
  private static final String GPU = "feature.node.kubernetes.io/pci-10de.present";

  @Test
  void podsOfADaemonSetBecomeReadyOnTheNodesItSelects(
      SimulatedNodes nodes, KubernetesClient client, TestNamespace namespace) {
    nodes.create(NodeTemplate.gpu("gpu"), 3);
    nodes.create(NodeTemplate.cpu("cpu"), 2);

    var daemonSet = client.resource(daemonSet(namespace, Map.of(GPU, "true"))).create();

    var running =
        client.resource(daemonSet).waitUntilCondition(it -> ready(it) == 3, 90, TimeUnit.SECONDS);
    assertThat(running.getStatus().getDesiredNumberScheduled()).isEqualTo(3);
  }

  @Test
  void aDeletedPodGoesAndIsReplaced(
      SimulatedNodes nodes, KubernetesClient client, TestNamespace namespace) {
    nodes.create(NodeTemplate.gpu("gpu"), 1);
    var daemonSet = client.resource(daemonSet(namespace, Map.of())).create();
    client.resource(daemonSet).waitUntilCondition(it -> ready(it) == 1, 90, TimeUnit.SECONDS);
    var pod = client.pods().inNamespace(namespace.name()).list().getItems().getFirst();

    client.resource(pod).delete();

    client.resource(pod).waitUntilCondition(Objects::isNull, 90, TimeUnit.SECONDS);
    client.resource(daemonSet).waitUntilCondition(it -> ready(it) == 1, 90, TimeUnit.SECONDS);
    assertThat(client.pods().inNamespace(namespace.name()).list().getItems())
        .extracting(it -> it.getMetadata().getUid())
        .doesNotContain(pod.getMetadata().getUid());
  }

  @Test
  void aJobCompletes(SimulatedNodes nodes, KubernetesClient client, TestNamespace namespace) {
    nodes.create(NodeTemplate.cpu("cpu"), 1);
    var request =
        new JobBuilder()
            .withNewMetadata()
            .withNamespace(namespace.name())
            .withName("job")
            .endMetadata()
            .withNewSpec()
            .withTemplate(pod("Never", Map.of()))
            .endSpec();

    var job = client.resource(request.build()).create();

    var done =
        client
            .resource(job)
            .waitUntilCondition(
                it -> it.getStatus().getCompletionTime() != null, 90, TimeUnit.SECONDS);
    assertThat(done.getStatus().getSucceeded()).isEqualTo(1);
  }

  @Test
  void aHundredNodesRenewTheirLeases(SimulatedNodes nodes, KubernetesClient client) {
    nodes.create(NodeTemplate.gpu("gpu"), 100);
    var lease = client.leases().inNamespace("kube-node-lease").withName("gpu-100");
    var first = lease.waitUntilCondition(Objects::nonNull, 90, TimeUnit.SECONDS);

    var renewed =
        lease.waitUntilCondition(
            it -> it != null && !renewTime(it).equals(renewTime(first)), 90, TimeUnit.SECONDS);

    assertThat(renewed.getSpec().getLeaseDurationSeconds()).isEqualTo(40);
  }

  @Test
  void aNodeLooksLikeOneThatFeatureDiscoveryHasSeen(SimulatedNodes nodes, KubernetesClient client) {
    var system =
        NodeSystem.ubuntu()
            .withDistribution("rhcos", "4.17")
            .withContainerRuntime("cri-o://1.30.0");
    nodes.create(NodeTemplate.gpu("gpu").withSystem(system).withProduct("NVIDIA-H100"), 1);

    var node = client.nodes().withName("gpu-1").get();

    assertThat(node.getMetadata().getLabels())
        .containsEntry(GPU, "true")
        .containsEntry("feature.node.kubernetes.io/system-os_release.ID", "rhcos")
        .containsEntry("feature.node.kubernetes.io/system-os_release.VERSION_ID.major", "4")
        .containsEntry("nvidia.com/gpu.product", "NVIDIA-H100")
        .containsEntry("kubernetes.io/hostname", "gpu-1");
    assertThat(node.getStatus().getNodeInfo().getContainerRuntimeVersion())
        .isEqualTo("cri-o://1.30.0");
  }

  private static String renewTime(Lease lease) {
    return String.valueOf(lease.getSpec().getRenewTime());
  }

  private static int ready(DaemonSet daemonSet) {
    var status = daemonSet.getStatus();
    return status == null || status.getNumberReady() == null ? 0 : status.getNumberReady();
  }

  private static DaemonSet daemonSet(TestNamespace namespace, Map<String, String> nodeSelector) {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withNamespace(namespace.name())
        .withName("agent")
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .addToMatchLabels("app", "agent")
        .endSelector()
        .withTemplate(pod("Always", nodeSelector))
        .endSpec()
        .build();
  }

  private static PodTemplateSpec pod(String restartPolicy, Map<String, String> nodeSelector) {
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .addToLabels("app", "agent")
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy(restartPolicy)
        .withNodeSelector(nodeSelector)
        .addNewInitContainer()
        .withName("first")
        .withImage("image:1")
        .endInitContainer()
        .addNewContainer()
        .withName("main")
        .withImage("image:1")
        .endContainer()
        .endSpec()
        .build();
  }
}
