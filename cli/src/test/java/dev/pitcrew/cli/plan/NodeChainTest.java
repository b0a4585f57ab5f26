package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.Chain.Mark;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Why a node is ready or not.
class NodeChainTest {
  @ParameterizedTest
  @CsvSource({
    "NeedsReset,nvidia-smi --gpu-reset",
    "NeedsReboot,kubectl drain a",
    "Replace,have the board replaced",
    "Degraded,nothing yet",
  })
  void remedyOfAnUnhealthyGpu_isThatOfItsLevel(String level, String remedy) {
    Chain chain = NodeChain.of(Objects.gpuNode("a 2 NotReady=GpuUnhealthy Bad=" + level), none());

    assertThat(chain.ok()).isFalse();
    assertThat(chain.cause()).isEqualTo("Healthy GpuUnhealthy");
    assertThat(String.join("\n", chain.next())).contains(remedy);
    assertThat(chain.steps())
        .filteredOn(it -> it.mark() == Mark.BAD)
        .singleElement()
        .satisfies(it ->
            assertThat(it.details())
                .contains(
                    "GPU 0: Xid 79",
                    "GPU 0 0000:00:00.0 %s since 2026-11-29T09:14:07Z: Xid 79".formatted(level)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Discovered        | False   | NoGpu           | lspci",
        "DriverReady       | False   | NouveauLoaded   | docs/why-is-my-node-not-ready.md, NouveauLoaded",
        "DriverReady       | False   | Paused          | nothing",
        "RuntimeReady      | False   | CDIDisabled     | docs/container-runtime.md",
        "DevicesAdvertised | Unknown | NotYetKnown     | wait a minute",
        "MIGConfigured     | False   | Busy            | docs/mig.md",
        "Validated         | False   | CudaCheckFailed | pitcrew-agent",
        "Novel             | False   | Novel           | docs/gpunode.md",
      })
  void eachConditionHasARemedy(String type, String status, String reason, String remedy) {
    GpuNode node =
        GpuNode.of(
            Objects.json(
                """
                metadata: {name: a}
                status:
                  conditions:
                  - {type: %s, status: '%s', reason: %s, message: m}
                  - {type: Later, status: 'False', reason: Other, message: m}
                  - {type: Ready, status: 'False', reason: %s, message: m}
                """
                    .formatted(type, status, reason, reason)));

    Chain chain = NodeChain.of(node, none());

    assertThat(chain.cause()).isEqualTo(type + " " + reason);
    assertThat(String.join("\n", chain.next())).contains(remedy);
  }

  @Test
  void nodeOfWhichNoAgentHasReported_isNotReady() {
    Chain chain = NodeChain.of(GpuNode.of(Objects.json("metadata: {name: a}")), none());

    assertThat(chain.ok()).isFalse();
    assertThat(chain.cause()).isEqualTo("NotReportedYet");
    assertThat(chain.next()).singleElement().asString().contains("pitcrew-agent");
  }

  @Test
  void readyNode_isOk_withItsHolders() {
    Chain chain =
        NodeChain.of(
            Objects.gpuNode("a 2"),
            Optional.of(List.of(Objects.pod("train", "a", "nvidia.com/gpu: 1", ""))));

    assertThat(chain.ok()).isTrue();
    assertThat(chain.cause()).isEmpty();
    assertThat(chain.next()).isEmpty();
    assertThat(chain.steps().getLast().details()).containsExactly("ml/train  1 × nvidia.com/gpu");
  }

  @Test
  void rollOutThatHasFailed_isACause() {
    Chain chain = NodeChain.of(Objects.gpuNode("a 2 Phase=Failed"), none());

    assertThat(chain.ok()).isFalse();
    assertThat(chain.cause()).contains("roll-out");
  }

  private static Optional<List<Pod>> none() {
    return Optional.empty();
  }
}
