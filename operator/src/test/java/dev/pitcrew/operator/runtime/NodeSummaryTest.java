package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeSummaryTest {
  private static final String DEVICE = "feature.node.kubernetes.io/pci-10de.present";
  private static final String PRESENT = "nvidia.com/gpu.present";

  @Test
  void aNodeWithADeviceCountsBeforeItIsLabelled() {
    assertThat(summary(Map.of(DEVICE, "true")))
        .isEqualTo(summary(Map.of(DEVICE, "true", PRESENT, "true")));
    assertThat(summary(Map.of(DEVICE, "true")).gpu()).isTrue();
  }

  @Test
  void aNodeThatHasLostItsDeviceCountsNoMore() {
    assertThat(summary(Map.of(PRESENT, "true")).gpu()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "dedicated,                        NoSchedule,       true",
    "dedicated,                        PreferNoSchedule, false",
    "node.kubernetes.io/unschedulable, NoSchedule,       false",
    "node.kubernetes.io/not-ready,     NoExecute,        false",
    "node.kubernetes.io/not-ready,     NoSchedule,       true",
  })
  void aTaintCountsIfItMayKeepPodsOfOperandsOff(String key, String effect, boolean counts) {
    Node node = node(Map.of(DEVICE, "true"));
    Node tainted =
        new NodeBuilder(node).withNewSpec().addNewTaint(effect, key, null, "").endSpec().build();

    assertThat(!NodeSummary.of(tainted).equals(NodeSummary.of(node))).isEqualTo(counts);
  }

  private static NodeSummary summary(Map<String, String> labels) {
    return NodeSummary.of(node(labels));
  }

  private static Node node(Map<String, String> labels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("node")
        .withLabels(labels)
        .endMetadata()
        .build();
  }
}
