package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.GpuNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AttentionTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:00:00Z");

  @Test
  void fleetThatIsWell_needsNone() {
    assertThat(attention("True", "False", "gpu-1 4", "gpu-2 4 Phase=Drain")).isEmpty();
  }

  @Test
  void nodesComeFirst_withWhatToDo_andPoliciesLast() {
    List<Attention> attention =
        attention(
            "False",
            "True",
            "gpu-1 4",
            "gpu-2 4 NotReady=GpuUnhealthy Bad=NeedsReboot",
            "gpu-3 4 NotReady=GpuUnhealthy Bad=NeedsReboot",
            "gpu-4 4 Phase=Failed");

    assertThat(attention)
        .extracting(Attention::title)
        .satisfiesExactly(
            it -> assertThat(it).isEqualTo("2 nodes not ready: GpuUnhealthy"),
            it -> assertThat(it).isEqualTo("the roll-out of a driver has failed on 1 node"),
            it -> assertThat(it).startsWith("ClusterPolicy cluster-policy: not ready"));
    assertThat(attention.getFirst())
        .satisfies(it -> assertThat(it.nodes()).containsExactly("gpu-2", "gpu-3"))
        .satisfies(it -> assertThat(it.next()).contains("reboot the node"))
        .satisfies(it -> assertThat(it.command()).isEqualTo("kubectl gpu explain node gpu-2"));
    assertThat(attention.getLast().command())
        .isEqualTo("kubectl gpu explain policy clusterpolicy/cluster-policy");
  }

  @Test
  void fleetWithoutPolicy_needsOne() {
    assertThat(Attention.of(List.of(), List.of(), Optional.empty(), NOW))
        .singleElement()
        .satisfies(it -> assertThat(it.message()).contains("there is no ClusterPolicy"));
  }

  private static List<Attention> attention(String ready, String error, String... nodes) {
    List<GpuNode> all = Stream.of(nodes).map(Objects::gpuNode).toList();
    return Attention.of(List.of(Objects.policy(ready, error)), all, Optional.empty(), NOW);
  }
}
