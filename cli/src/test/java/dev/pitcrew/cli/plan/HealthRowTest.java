package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.FleetSettings;
import dev.pitcrew.core.xids.XidCatalogue;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// GPUs that are not healthy, and what Xids mean.
class HealthRowTest {
  @Test
  void gpusThatAreNotHealthy_areListedTheWorstFirst() {
    List<HealthRow> rows =
        HealthRow.of(
            List.of(
                Objects.gpuNode("a 4 Bad=Degraded"),
                Objects.gpuNode("b 4"),
                Objects.gpuNode("c 4 Bad=Replace"),
                Objects.gpuNode("d 4 Bad=NeedsReset")),
            Optional.empty(),
            Optional.of(new Holdings(List.of(Objects.pod("p", "c", "nvidia.com/gpu: 3", "")))));

    assertThat(rows).extracting(HealthRow::node).containsExactly("c", "d", "a");
    assertThat(rows.getFirst())
        .isEqualTo(
            new HealthRow(
                "c",
                "0",
                "0000:00:00.0",
                "GPU-0",
                "NVIDIA H100",
                "Replace",
                "2026-11-29T09:14:07Z",
                List.of("Xid 79"),
                "drain the node and have the board replaced",
                Optional.of(List.of("ml/p"))));
    assertThat(rows.getLast().pods()).contains(List.of());
  }

  @ParameterizedTest
  @CsvSource({
    "Degraded, false, most evidence goes after 60 s without it",
    "NeedsReset, false, drain the node",
    "NeedsReset, true, the agent resets it",
    "NeedsReboot, true, reboot",
    "Novel, true, docs/unhealthy-gpu.md",
  })
  void whatHappensNext_dependsOnTheLevelAndTheFleetPolicy(
      String level, boolean resets, String next) {
    List<HealthRow> rows =
        HealthRow.of(
            List.of(Objects.gpuNode("a 1 Bad=" + level)),
            Optional.of(new FleetSettings(resets, 60, "Wait")),
            Optional.empty());

    assertThat(rows).singleElement().extracting(HealthRow::next).asString().contains(next);
    assertThat(rows.getFirst().pods()).isEmpty();
  }

  @Test
  void everyActionOfTheCatalogue_hasItsWords() {
    assertThat(XidCatalogue.entries())
        .filteredOn(it -> !it.action().equals("-"))
        .allSatisfy(it ->
            assertThat(XidAdvice.of(it.number()).next().getFirst())
                .as(it.toString())
                .doesNotContain("the catalogue names no action"));
  }

  @Test
  void xid_hasItsMeaningLevelAndRemedy() {
    XidAdvice lost = XidAdvice.of(79);
    assertThat(lost.meaning()).isEqualTo("the GPU has fallen off the bus");
    assertThat(lost.level()).isEqualTo("NeedsReboot");
    assertThat(lost.ignored()).isFalse();
    assertThat(lost.next().getFirst()).contains("reboot");

    assertThat(XidAdvice.of(31).ignored()).isTrue();

    XidAdvice unknown = XidAdvice.of(99_999);
    assertThat(unknown.mnemonic()).isEmpty();
    assertThat(unknown.level()).isEqualTo("Degraded");
  }
}
