package dev.pitcrew.operator.node;

import static dev.pitcrew.operator.node.NodeText.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.api.node.AgentMarks;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NodeFactsTest {
  private static final Node NODE =
      Serialization.unmarshal(
          """
          apiVersion: v1
          kind: Node
          metadata:
            name: gpu-1
            uid: 5ac1
            resourceVersion: "42"
            generation: 3
            creationTimestamp: "2026-01-01T00:00:00Z"
            labels: {role: web, feature.node.kubernetes.io/system-os_release.ID: rhcos}
            annotations:
              nvidia.com/gpu-driver-upgrade-enabled: "true"
              pitcrew.dev/same-driver-digests: 12=34
              volumes.kubernetes.io/attach: "true"
            managedFields:
            - {manager: kubelet, operation: Update}
            - {manager: pitcrew-agent, operation: Update, subresource: status}
            - {manager: pitcrew-agent, operation: Apply, apiVersion: v1, fieldsV1: {"f:metadata": {"f:labels": {"f:role": {}}}}}
            - {manager: kubectl, operation: Apply}
          spec:
            podCIDR: 10.0.0.0/24
            providerID: cloud://1
            unschedulable: true
            taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
          status:
            capacity: {cpu: "8", nvidia.com/gpu: "8"}
            allocatable: {cpu: "8", nvidia.com/gpu: "7"}
            conditions:
            - {type: MemoryPressure, status: "False", reason: KubeletHasSufficientMemory}
            - {type: GPUHealthy, status: "True", reason: GpusHealthy, message: all 8 are well, lastTransitionTime: "2026-11-22T07:00:00Z"}
            - {type: Ready, status: "True", reason: KubeletReady, message: posting, lastHeartbeatTime: "2026-11-22T08:00:00Z", lastTransitionTime: "2026-11-22T06:00:00Z"}
            images: [{names: [a:1], sizeBytes: 1}]
            nodeInfo: {containerRuntimeVersion: "containerd://2.1.4", kernelVersion: 6.1.0, osImage: RHCOS, architecture: arm64, bootID: b}
          """,
          Node.class);

  @Test
  void cacheKeepsOnlyWhatIsRead() {
    assertThat(NodeSlimming.slim(NODE))
        .isEqualTo(
            Serialization.unmarshal(
                """
                apiVersion: v1
                kind: Node
                metadata:
                  annotations:
                    nvidia.com/gpu-driver-upgrade-enabled: "true"
                    pitcrew.dev/same-driver-digests: 12=34
                  labels: {role: web, feature.node.kubernetes.io/system-os_release.ID: rhcos}
                  managedFields: [{manager: pitcrew-agent, operation: Apply}]
                  name: gpu-1
                  resourceVersion: "42"
                  uid: 5ac1
                spec:
                  taints: [{key: nvidia.com/gpu, effect: NoSchedule}]
                  unschedulable: true
                status:
                  capacity: {nvidia.com/gpu: "8"}
                  allocatable: {nvidia.com/gpu: "7"}
                  conditions:
                  - {type: GPUHealthy, reason: GpusHealthy}
                  - {type: Ready, status: "True", lastTransitionTime: "2026-11-22T06:00:00Z"}
                  nodeInfo: {architecture: arm64, containerRuntimeVersion: "containerd://2.1.4", kernelVersion: 6.1.0, osImage: RHCOS}
                """,
                Node.class));
  }

  @ParameterizedTest
  @ValueSource(strings = {"False", "Unknown"})
  void theCacheKeepsWhyANodeIsNotReadyAndSinceWhen(String status) {
    Node node =
        Serialization.unmarshal(
            """
            metadata: {name: n}
            status:
              conditions:
              - {type: Ready, status: "%s", reason: NodeStatusUnknown, message: silent, lastTransitionTime: "2026-11-22T06:00:00Z"}
            """
                .formatted(status),
            Node.class);

    assertThat(NodeSlimming.slim(node).getStatus().getConditions())
        .containsExactly(
            new NodeConditionBuilder()
                .withType("Ready")
                .withStatus(status)
                .withReason("NodeStatusUnknown")
                .withLastTransitionTime("2026-11-22T06:00:00Z")
                .build());
  }

  @Test
  void marksOfAgents_areSeenOnASlimNodeToo() {
    for (Node node : List.of(NODE, NodeSlimming.slim(NODE))) {
      assertThat(LeftMarks.hasLabels(node)).isTrue();
      assertThat(LeftMarks.of(node).condition()).contains(AgentMarks.withoutCondition());
      assertThat(LeftMarks.of(node).taints()).as("they are not the agent's").isEmpty();
    }
  }

  @Test
  void fieldOfAnotherWriter_isNoMarkOfAnAgent() {
    Node node =
        Serialization.unmarshal(
            """
            metadata:
              name: n
              managedFields:
              - {manager: pitcrew-agent, operation: Update}
              - {manager: kubectl, operation: Apply}
            status:
              conditions:
              - {type: GPUHealthy, status: "True", reason: ReportedByAnother}
              - {type: GPUCooled, status: "True", reason: GpusHealthy}
            """,
            Node.class);

    assertThat(LeftMarks.hasLabels(node)).isFalse();
    assertThat(LeftMarks.hasLabels(NodeSlimming.slim(node))).isFalse();
    assertThat(LeftMarks.of(node).condition()).isEmpty();
    assertThat(LeftMarks.of(NodeSlimming.slim(node)).condition()).isEmpty();
  }

  @Test
  void slimNodesHaveTheSameFacts() {
    var facts = NodeFacts.of(NODE);

    assertThat(NodeFacts.of(NodeSlimming.slim(NODE))).isEqualTo(facts);
    assertThat(facts.annotations()).containsOnlyKeys("nvidia.com/gpu-driver-upgrade-enabled");
    assertThat(facts.containerRuntimeVersion()).isEqualTo("containerd://2.1.4");
    assertThat(facts.osId()).contains("rhcos");
    assertThat(facts.osVersion()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "pitcrew, '', true",
    "driver-manager, '', true",
    "pitcrew-driver-manager, '', true",
    "driver-manager, pitcrew-driver-manager, true",
    "kubectl-label, '', false",
    "pitcrew, kubectl, false",
    "'', '', false",
  })
  void writerOfTheDriverLabel_isRemembered(String first, String second, boolean automatic) {
    Node node =
        Serialization.unmarshal(
            """
            metadata:
              name: n
              managedFields:
              - {manager: "%s", operation: Update, fieldsV1: {"f:metadata": {"f:labels": {"f:nvidia.com/gpu.deploy.driver": {}}}}}
              - {manager: kubelet, operation: Update, fieldsV1: {"f:metadata": {"f:labels": {"f:other": {}}}}}
              - {manager: "%s", operation: Apply, fieldsV1: {"f:metadata": {"f:labels": {%s}}}}
            """
                .formatted(
                    first,
                    second,
                    second.isEmpty() ? "" : "\"f:nvidia.com/gpu.deploy.driver\": {}"),
            Node.class);

    assertThat(NodeFacts.of(node).isDriverLabelAutomatic()).isEqualTo(automatic);
    assertThat(NodeFacts.of(NodeSlimming.slim(node)).isDriverLabelAutomatic()).isEqualTo(automatic);
  }

  @Test
  void newbornNodesHaveFactsToo() {
    var newborn = new NodeBuilder().withNewMetadata().withName("n").endMetadata().build();

    assertThat(NodeFacts.of(NodeSlimming.slim(newborn)))
        .isEqualTo(NodeFacts.of(newborn))
        .isEqualTo(new NodeFacts("n", "", "", Map.of(), Map.of(), "", ""));
  }

  @ParameterizedTest
  @CsvSource({
    ":mig.capable, true",
    ":mig.capable=false :gpu.product=NVIDIA-A100-SXM4-40GB, false",
    ":mig.capable= :gpu.product=NVIDIA-H100-80GB-HBM3, false",
    ":gpu.product=NVIDIA-A100-SXM4-40GB, true",
    ":gpu.product=NVIDIA-H100-80GB-HBM3, true",
    ":gpu.product=NVIDIA-A30, true",
    ":gpu.product=NVIDIA-H200, false",
    ":gpu.product=Tesla-T4, false",
    "role=web, false",
    ":mig.capable :vgpu.host-driver-version=570.1, false",
    ":mig.capable :vgpu.host-driver-version=, true",
  })
  void capabilityLabelOutranksTheProductAndGuestsCannotPartition(String labels, boolean capable) {
    assertThat(node(labels).isMigCapable()).isEqualTo(capable);
  }

  @Test
  void claimsReadTheLabels() {
    assertThat(node("@kernel-version.full=6.1").hasFeatureLabels()).isTrue();
    assertThat(node("role=web").hasFeatureLabels()).isFalse();
    assertThat(node("~operands=false").optsOut()).isTrue();
    assertThat(node("~operands=False").optsOut()).isFalse();
    assertThat(node("@system-os_release.OSTREE_VERSION=418").ostreeVersion()).contains("418");
    assertThat(node("@kernel-version.full=6.1").kernel()).contains("6.1");
    assertThat(node("@system-os_release.VERSION_ID=22.04").osVersion()).contains("22.04");
  }
}
