package dev.pitcrew.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeLabelsTest {
  @Test
  void switchesWithOneValueArePutTogether() {
    var labels =
        Map.of(
            "nvidia.com/gpu.present", "true",
            "nvidia.com/gpu.deploy.driver", "true",
            "nvidia.com/gpu.deploy.dcgm", "true",
            "nvidia.com/gpu.deploy.mig-manager", "false",
            "kubernetes.io/os", "linux");

    assertThat(NodeLabels.words(labels))
        .isEqualTo(
            "gpu.present=true gpu.deploy.{mig-manager}=false gpu.deploy.{dcgm, driver}=true");
  }

  @Test
  void nodesWithTheSameLabelsShareARow() {
    var nodes =
        List.of(
            node("a", Map.of("nvidia.com/gpu.present", "true")),
            node("b", Map.of("nvidia.com/gpu.present", "true")),
            node("c", Map.of("kubernetes.io/os", "linux")));

    assertThat(NodeLabels.table(nodes).rows())
        .containsExactly(List.of("a, b", "gpu.present=true"), List.of("c", "-"));
  }

  @Test
  void manyNodesAreCountedRatherThanListed() {
    var nodes = IntStream.rangeClosed(1, 5).mapToObj(number -> node("n" + number, Map.of()));

    assertThat(NodeLabels.table(nodes.toList()).rows())
        .containsExactly(List.of("n1 ... n5 (5)", "-"));
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
