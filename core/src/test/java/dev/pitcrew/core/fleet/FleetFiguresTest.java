package dev.pitcrew.core.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FleetFiguresTest {
  private static final List<String> WELL = List.of("Healthy", "Healthy", "Healthy", "Healthy");

  @Test
  void aFleetIsCounted() {
    var figures =
        FleetFigures.of(
            List.of(
                new NodeReport(true, "Ready", 4, WELL, true, true, "580.1"),
                new NodeReport(true, "Ready", 4, WELL, false, true, "580.1"),
                new NodeReport(
                    false,
                    "GpuUnhealthy",
                    4,
                    List.of("Healthy", "Degraded", "NeedsReset", ""),
                    true,
                    true,
                    "570.2"),
                new NodeReport(false, "DriverNotReady", 4, List.of(), true, false, "")));

    assertThat(figures)
        .isEqualTo(
            new FleetFigures(
                4,
                2,
                figures.byReason(),
                16,
                11, // 4, 4, and 3 of the node with one that needs a reset; none of the last
                1,
                4,
                figures.byHealth(),
                figures.drivers()));
    assertThat(figures.byReason()).isEqualTo(Map.of("DriverNotReady", 1, "GpuUnhealthy", 1));
    assertThat(figures.byReason().sequencedKeySet())
        .containsExactly("DriverNotReady", "GpuUnhealthy");
    assertThat(figures.byHealth().sequencedEntrySet())
        .containsExactly(
            Map.entry("Healthy", 9), Map.entry("Degraded", 1), Map.entry("NeedsReset", 1));
    assertThat(figures.drivers().sequencedEntrySet())
        .containsExactly(Map.entry("580.1", 2), Map.entry("570.2", 1));
  }

  @Test
  void ofManyReasonsTheMostFrequentAreNamed() {
    List<NodeReport> nodes =
        Stream.concat(
                IntStream.range(0, 5_000).mapToObj(i -> "Reason%04d".formatted(i)),
                Stream.of("Reason4999", "Reason4998"))
            .map(it -> new NodeReport(false, it, 1, List.of(), true, true, ""))
            .toList();

    var most = FleetFigures.most(FleetFigures.of(nodes).byReason(), 3);

    assertThat(most.sequencedEntrySet())
        .containsExactly(
            Map.entry("Reason4998", 2),
            Map.entry("Reason4999", 2),
            Map.entry("Reason0000", 1),
            Map.entry("Other", 4_997));
  }

  @Test
  void aReasonThatIsNamedOtherIsNotLost() {
    var nodes =
        Stream.of("Other", "Other", "A", "B")
            .map(it -> new NodeReport(false, it, 1, List.of(), true, true, ""))
            .toList();

    assertThat(FleetFigures.most(FleetFigures.of(nodes).byReason(), 1))
        .isEqualTo(Map.of("Other", 4));
  }

  @Test
  void productsAreNamedWithoutTheirMaker() {
    assertThat(NodeReport.products(Stream.of("NVIDIA L4", "NVIDIA H100", "", "NVIDIA H100")))
        .isEqualTo("H100, L4");
  }

  @Test
  void aLevelThatIsNotKnownYetIsWorst() {
    assertThat(HealthLevels.worst(List.of("Healthy", "Replace", "Melted", ""))).isEqualTo("Melted");
    assertThat(HealthLevels.isUnhealthy("Melted")).isTrue();
    assertThat(HealthLevels.isUnhealthy("Degraded")).isFalse();
  }
}
