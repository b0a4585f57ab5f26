package dev.pitcrew.operator.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Where the DaemonSet controller will run a pod.
class SuitableNodesTest {
  private static final Map<String, String> DEPLOY = Map.of("nvidia.com/gpu.deploy.dcgm", "true");

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/gpu,                    present, NoSchedule,       1", // tolerated by key
    "dedicated,                         team-a,  NoSchedule,       0",
    "dedicated,                         team-a,  PreferNoSchedule, 1",
    "dedicated,                         team-b,  NoExecute,        1", // tolerated by value
    "node.kubernetes.io/unschedulable,  '',      NoSchedule,       1",
    "node.kubernetes.io/disk-pressure,  '',      NoSchedule,       1",
    "node.kubernetes.io/not-ready,      '',      NoExecute,        1",
    "node.kubernetes.io/not-ready,      '',      NoSchedule,       0",
  })
  void aTaintKeepsPodsOffUnlessItIsTolerated(String key, String value, String effect, int count) {
    var node =
        new NodeBuilder(node("a", DEPLOY))
            .withNewSpec()
            .addNewTaint(effect, key, null, value)
            .endSpec()
            .build();

    assertThat(SuitableNodes.of(pod(), List.of(node)).count()).isEqualTo(count);
  }

  @Test
  void onlyNodesWithAllLabelsCount() {
    var nodes =
        List.of(
            node("a", DEPLOY),
            node("b", Map.of("nvidia.com/gpu.deploy.dcgm", "false")),
            node("c", Map.of()));

    assertThat(SuitableNodes.of(pod(), nodes).count()).isEqualTo(1);
    assertThat(SuitableNodes.of(new PodSpec(), nodes).count()).isEqualTo(3);
  }

  @Test
  void affinity_isDecidedByTheControllerAlone() {
    var pod =
        new PodSpecBuilder(pod())
            .withNewAffinity()
            .withNewNodeAffinity()
            .endNodeAffinity()
            .endAffinity()
            .build();

    assertThat(SuitableNodes.of(pod, List.of(node("a", DEPLOY))).count()).isZero();
  }

  /// Those without GPUs are kept for something else, and Kubernetes reports its own taints.
  @Test
  void nodesWithGpusThatATaintKeepsPodsOffAreNamed() {
    var nodes =
        List.of(
            tainted("c", "dedicated", true),
            tainted("b", "dedicated", true),
            tainted("d", "dedicated", false),
            tainted("e", "node.kubernetes.io/not-ready", true),
            new NodeBuilder(tainted("a", "dedicated", true))
                .editMetadata()
                .addToLabels("nvidia.com/gpu.deploy.operands", "false")
                .endMetadata()
                .build(),
            node("f", DEPLOY));

    var found = SuitableNodes.of(pod(), nodes);

    assertThat(found.count()).isEqualTo(1);
    assertThat(found.keptOff().orElseThrow().sentence("dcgm"))
        .isEqualTo(
            "DaemonSet dcgm is kept off 2 nodes, such as b, by the taint dedicated=team-a:NoSchedule: add {key: dedicated, operator: Equal, value: team-a, effect: NoSchedule} to spec.daemonsets.tolerations of the ClusterPolicy, or to spec.tolerations of the NVIDIADriver, or label the node nvidia.com/gpu.deploy.operands=false");
    assertThat(SuitableNodes.of(pod(), nodes.subList(2, 6)).keptOff()).isEmpty();
  }

  private static Node tainted(String name, String key, boolean hasGpu) {
    return new NodeBuilder(node(name, DEPLOY))
        .editMetadata()
        .addToLabels("nvidia.com/gpu.present", String.valueOf(hasGpu))
        .endMetadata()
        .withNewSpec()
        .addNewTaint("NoSchedule", key, null, "team-a")
        .endSpec()
        .build();
  }

  private static PodSpec pod() {
    return new PodSpecBuilder()
        .withNodeSelector(DEPLOY)
        .addNewToleration("NoSchedule", "nvidia.com/gpu", "Exists", null, null)
        .addNewToleration(null, "dedicated", "Equal", null, "team-b")
        .build();
  }

  private static Node node(String name, Map<String, String> labels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .withLabels(labels)
        .endMetadata()
        .build();
  }
}
