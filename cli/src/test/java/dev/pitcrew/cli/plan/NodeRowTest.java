package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// One line a node.
class NodeRowTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a gpu=8               | 5                   | Ready",
        "a gpu=8 allocatable=7 | 4                   | Ready",
        "a gpu=2               | 0                   | Ready",
        "a gpu=8 cordoned      | 0                   | Cordoned",
        "a gpu=8 down          | 0                   | NotReady",
        "a gpu=8 mig-1g.10gb=7 | gpu:5 mig-1g.10gb:7 | Ready",
        "a mig-1g.10gb=7       | mig-1g.10gb:7       | Ready",
        "a                     | 0                   | Ready",
      })
  void freeIsWhatPodsCouldHaveAtOnce(String node, String free, String status) {
    var pods = new Holdings(List.of(Objects.pod("p", "a", "nvidia.com/gpu: 3", "")));

    List<NodeRow> rows =
        NodeRow.of(
            List.of(Objects.gpuNode("a 8")),
            Optional.of(List.of(Objects.kubeNode(node))),
            Optional.of(pods));

    assertThat(rows).extracting(NodeRow::free).containsExactly(free);
    assertThat(rows).extracting(NodeRow::status).containsExactly(status);
  }

  @Test
  void whatMayNotBeListedIsNotKnown() {
    List<NodeRow> rows =
        NodeRow.of(
            List.of(
                Objects.gpuNode("b 8 NotReady=GpuUnhealthy Bad=Replace"), Objects.gpuNode("a 8")),
            Optional.empty(),
            Optional.empty());

    assertThat(rows).extracting(NodeRow::name).containsExactly("a", "b");
    assertThat(rows).extracting(NodeRow::free).containsOnly("?");
    assertThat(rows).extracting(NodeRow::health).containsExactly("Healthy", "Replace");
    assertThat(rows).extracting(NodeRow::reason).containsExactly("Ready", "GpuUnhealthy");
    assertThat(rows).extracting(NodeRow::product).containsOnly("H100");
  }
}
