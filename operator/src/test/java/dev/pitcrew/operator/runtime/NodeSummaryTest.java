package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.operator.node.NodeFacts;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;

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

  private static NodeSummary summary(Map<String, String> labels) {
    return NodeSummary.of(
        NodeFacts.of(
            new NodeBuilder()
                .withNewMetadata()
                .withName("node")
                .withLabels(labels)
                .endMetadata()
                .build()));
  }
}
