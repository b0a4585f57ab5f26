package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.Pod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PendingGroupTest {
  private static final Instant NOW = Instant.parse("2026-11-29T10:18:00Z");
  private static final int MANY = 60;
  private static final int SHOWN = 50;

  @Test
  void podsAreGroupedByCause_theLargestGroupFirst() {
    PendingGroup.Pending pending =
        pending(
            List.of(
                Objects.pod("huge", "", "nvidia.com/gpu: 16", ""),
                Objects.pod("a", "", "nvidia.com/gpu: 4", ""),
                Objects.pod("b", "", "nvidia.com/gpu: 4", ""),
                Objects.pod("runs", "n", "nvidia.com/gpu: 6", "")));

    assertThat(pending.more()).isZero();
    assertThat(pending.shown())
        .extracting(PendingGroup::cause)
        .containsExactly(
            "the GPUs that it could have are in use", "it asks for more GPUs than any node has");
    assertThat(pending.shown().getFirst().pods())
        .extracting(PendingGroup.PendingPod::command)
        .containsExactly("kubectl gpu explain pod a -n ml", "kubectl gpu explain pod b -n ml");
  }

  @Test
  void ofVeryMany_theRestIsCounted() {
    List<Pod> pods =
        IntStream.range(0, MANY)
            .mapToObj(it -> Objects.pod("p" + it, "", "nvidia.com/gpu: 4", ""))
            .toList();

    PendingGroup.Pending pending = pending(new ArrayList<>(pods));

    assertThat(pending.shown().getFirst().pods()).hasSize(SHOWN);
    assertThat(pending.more()).isEqualTo(MANY - SHOWN);
  }

  private static PendingGroup.Pending pending(List<Pod> pods) {
    var cluster =
        new PodChain.Cluster(
            List.of(Objects.gpuNode("n 8")),
            Optional.of(List.of(Objects.kubeNode("n gpu=8"))),
            Optional.of(new Holdings(pods)),
            Optional.empty());
    return PendingGroup.of(PendingGroup.waiting(pods), cluster, _ -> Optional.empty(), NOW);
  }
}
