package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GoalTest {
  private static final ProcessFigures PROCESS =
      new ProcessFigures(100, 80, 120, Duration.ofSeconds(3), 20);

  @ParameterizedTest
  @CsvSource({"99, yes", "100, yes", "101, **no**"})
  void aFigureUpToTheLimitMeetsTheTarget(double figure, String verdict) {
    var goal =
        new Goal("RSS", Goal.Unit.MEBIBYTES, Map.of(1, "7 MiB"), Map.of(1, 100.0), _ -> figure);
    assertThat(goal.row(figures(1)).markdown())
        .isEqualTo("| RSS | 1 | 7 MiB | ≤ 100 MiB | %.0f MiB | %s |".formatted(figure, verdict));
  }

  @Test
  void aSizeWithoutTargetHasNoVerdict() {
    var goal = new Goal("calls", Goal.Unit.CALLS, Map.of(), Map.of(), _ -> 1_234);
    assertThat(goal.row(figures(2)).markdown()).isEqualTo("| calls | 2 |  |  | 1,234 |  |");
  }

  @Test
  void everyMeasureIsOnThePageOnceASize() {
    var report =
        new Report(
            List.of(figures(1), figures(100)),
            new Machine("a processor", 2, 8, "Linux", "25"),
            LocalDate.EPOCH,
            List.of("-Xmx1m"));
    var measures =
        report
            .markdown()
            .lines()
            .filter(line -> line.startsWith("| "))
            .skip(2)
            .map(line -> line.split("\\|", -1)[1].strip())
            .collect(Collectors.groupingBy(measure -> measure, Collectors.counting()));
    assertThat(measures)
        .hasSize(Goals.all().size())
        .allSatisfy((_, rows) -> assertThat(rows).isEqualTo(2));
  }

  private static SizeFigures figures(int nodes) {
    var start =
        new SizeFigures.Start(
            8,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Optional.empty(),
            List.of(),
            List.of(),
            Duration.ofSeconds(3));
    var latencies = new Latencies(List.of(Duration.ofMillis(20)));
    return new SizeFigures(
        nodes,
        0.1,
        start,
        new SizeFigures.Memory(PROCESS, PROCESS, PROCESS),
        new SizeFigures.Minute(List.of(), Duration.ZERO),
        new SizeFigures.Answers(
            new Called<>(1, List.of()),
            new Called<>(1, List.of()),
            new Called<>(latencies, List.of()),
            new Called<>(latencies, List.of())));
  }
}
