package dev.pitcrew.operator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OwnedUpgradesTest {
  @ParameterizedTest
  @CsvSource({
    "default, upgrade-required, false, true",
    "default, upgrade-failed, false, true",
    "default, pod-restart-required, false, true",
    "default, upgrade-failed, true, false",
    "default, upgrade-done, false, false",
    "default, '', false, false",
    ", upgrade-failed, false, false"
  })
  void aNodeOfAnNvidiaDriverIsAwaitedUntilItIsDoneUnlessItIsSkipped(
      String owner, String state, String skip, boolean isAwaited) {
    Node without = node(Map.of());
    Node node =
        node(
            owner == null
                ? Map.of("nvidia.com/gpu-driver-upgrade-state", state)
                : Map.of(
                    "nvidia.com/gpu-operator.driver.owner",
                    owner,
                    "nvidia.com/gpu-driver-upgrade-state",
                    state,
                    "nvidia.com/gpu-driver-upgrade.skip",
                    skip));

    assertThat(OwnedUpgrades.unfinished(Stream.of(without, node)))
        .isEqualTo(isAwaited ? Map.of("gpu-1", state) : Map.of());
    assertThat(OwnedUpgrades.isNews(node, node)).isFalse();
    assertThat(OwnedUpgrades.isNews(without, node)).isEqualTo(isAwaited);
  }

  private static Node node(Map<String, String> labels) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("gpu-1")
        .withLabels(labels)
        .endMetadata()
        .build();
  }
}
