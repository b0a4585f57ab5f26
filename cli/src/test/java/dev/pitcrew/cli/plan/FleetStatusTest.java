package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Policy;
import dev.pitcrew.cli.plan.FleetStatus.Group;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The fleet on one screen.
class FleetStatusTest {
  private static final List<Policy> READY = List.of(Objects.policy("True", "False"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a 8                          | 8  | 6 | 2 | 0 | 0 | true",
        "a 8 Bad=NeedsReboot NotReady=GpuUnhealthy | 8 | 6 | 1 | 1 | 0 | false",
        "a 8 Bad=Degraded             | 8  | 6 | 2 | 0 | 0 | true",
        "a 8 Bad=Novel                | 8  | 6 | 1 | 1 | 0 | true",
        "a 8;b 4                      | 12 | 6 | 6 | 0 | 0 | true",
        "a 8;b 4 Silent NotReady=X    | 12 | 6 | 2 | 0 | 0 | false",
        "a 8;b 4 Phase=Drain          | 12 | 6 | 2 | 0 | 0 | true",
        "a 8;b 4 Phase=Failed         | 12 | 6 | 6 | 0 | 0 | false",
        "a 8;b 4 Sharing=MPS          | 12 | 6 | 2 | 0 | 4 | true",
      })
  void gpusAreCounted(
      String nodes, long total, long inUse, long free, long unhealthy, long shared, boolean ok) {
    FleetStatus status = FleetStatus.of(READY, nodes(nodes), holders());

    assertThat(status.gpus())
        .isEqualTo(
            new FleetStatus.Gpus(total, Optional.of(inUse), Optional.of(free), unhealthy, shared));
    assertThat(status.ok()).isEqualTo(ok);
  }

  @Test
  void whereNoPodsMayBeListed_freeGpusAreNotKnown() {
    FleetStatus status = FleetStatus.of(READY, nodes("a 8"), Optional.empty());

    assertThat(status.gpus().free()).isEmpty();
    assertThat(status.ok()).isTrue();
  }

  @Test
  void nodesAreGroupedByReason_mostFirst() {
    FleetStatus status =
        FleetStatus.of(
            READY, nodes("d 8 NotReady=Rare;c 8 NotReady=Often;b 8 NotReady=Often;a 8"), holders());

    assertThat(status.nodes().notReady())
        .containsExactly(
            new Group("Often", 2, List.of("b", "c"), "GPU 0: Xid 79"),
            new Group("Rare", 1, List.of("d"), "GPU 0: Xid 79"));
    assertThat(status.next()).containsExactly("kubectl gpu explain node b");
  }

  @Test
  void policyWithAnError_isNotReady_withTheReasonOfTheError() {
    FleetStatus status =
        FleetStatus.of(List.of(Objects.policy("False", "True")), nodes("a 8"), holders());

    assertThat(status.ok()).isFalse();
    assertThat(status.policies())
        .containsExactly(
            new FleetStatus.PolicyState(
                "cluster-policy", false, "OperandNotReady", "DaemonSet d waits"));
    assertThat(status.next()).containsExactly("kubectl gpu explain policy cluster-policy");
  }

  @Test
  void clusterWithoutAPolicy_isNotOk() {
    assertThat(FleetStatus.of(List.of(), nodes("a 8"), holders()).ok()).isFalse();
  }

  private static List<GpuNode> nodes(String words) {
    return Stream.of(words.split(";", -1)).map(Objects::gpuNode).toList();
  }

  private static Optional<Holdings> holders() {
    return Optional.of(
        new Holdings(
            List.of(
                Objects.pod("p", "a", "nvidia.com/gpu: 4", ""),
                Objects.pod("q", "a", "nvidia.com/gpu: 2", ""),
                Objects.pod("waits", "", "nvidia.com/gpu: 2", ""))));
  }
}
