package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.GpuUse;
import dev.pitcrew.cli.cluster.GpuUse.Holder;
import dev.pitcrew.cli.cluster.NodeUse;
import dev.pitcrew.cli.cluster.Pod;
import dev.pitcrew.cli.plan.PodUseRow.Measure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// How much GPUs are used, and which are idle.
class UseRowTest {
  private static final Instant NOW = Instant.parse("2026-11-30T10:00:00Z");

  @Test
  void mostUsedIsFirst_andWhatIsNotKnownLast() {
    List<UseRow> rows =
        UseRow.of(
            List.of(Objects.gpuNode("a 3"), Objects.gpuNode("b 1")),
            List.of(
                new NodeUse("a", List.of(gpu(0, 3, own("p", 9)), gpu(1, 98), silent(2)), ""),
                new NodeUse("b", List.of(), "no answer: timeout")));

    assertThat(rows)
        .extracting(UseRow::node, UseRow::gpu, UseRow::utilisationPercent, UseRow::problem)
        .containsExactly(
            tuple("a", "1", Optional.of(98.0), ""),
            tuple("a", "0", Optional.of(3.0), ""),
            tuple("a", "2", Optional.empty(), "the GPU does not answer"),
            tuple("b", "0", Optional.empty(), "no answer: timeout"));
    assertThat(NodeUseRow.of(rows))
        .extracting(
            NodeUseRow::node,
            NodeUseRow::gpus,
            NodeUseRow::utilisationPercent,
            NodeUseRow::memoryUsedMib,
            NodeUseRow::pods)
        .containsExactly(
            tuple("a", 3, Optional.of(50.5), Optional.of(2048.0), 1L),
            tuple("b", 1, Optional.empty(), Optional.empty(), 0L));
  }

  /// Which of a node's GPUs it would be is not known, and the node must not be missing.
  @Test
  void nodeWithoutAnyGpuThatDoesNotAnswer_hasARow() {
    assertThat(
            UseRow.of(List.of(Objects.gpuNode("a 0")), List.of(new NodeUse("a", List.of(), "x"))))
        .extracting(UseRow::node, UseRow::gpu, UseRow::problem)
        .containsExactly(tuple("a", "", "x"));
  }

  @Test
  void powerAndTemperature_areNotThoseOfMigDevices() {
    var device =
        new GpuUse(
            "0",
            "GPU-0",
            "1g.10gb",
            "7",
            true,
            Optional.of(5.0),
            Optional.of(1.0),
            Optional.of(2.0),
            Optional.of(300.0),
            Optional.of(60.0),
            Map.of(),
            List.of());

    assertThat(
            UseRow.of(
                List.of(Objects.gpuNode("a 1")), List.of(new NodeUse("a", List.of(device), ""))))
        .extracting(UseRow::gpu, UseRow::watts, UseRow::celsius)
        .containsExactly(tuple("0/7", Optional.empty(), Optional.empty()));
  }

  @Test
  void ofPodsThatShareAGpu_valuesAreEstimatesOrOfTheWholeGpu() {
    GpuUse shared =
        gpu(
            0,
            90,
            new Holder("ml", "known", true, 9, Optional.of(60.0), Optional.of(512.0)),
            new Holder("ml", "unknown", true, 9, Optional.empty(), Optional.empty()));
    List<UseRow> rows =
        UseRow.of(
            List.of(Objects.gpuNode("a 3")),
            List.of(
                new NodeUse(
                    "a",
                    List.of(shared, gpu(1, 20, own("own", 9)), gpu(2, 40, own("own", 9))),
                    "")));

    assertThat(PodUseRow.of(rows))
        .extracting(
            PodUseRow::pod,
            PodUseRow::gpus,
            PodUseRow::utilisationPercent,
            PodUseRow::utilisationOf,
            PodUseRow::memoryUsedMib)
        .containsExactly(
            tuple(
                "unknown", List.of("0"), Optional.of(90.0), Measure.WHOLE_GPU, Optional.of(1024.0)),
            tuple("known", List.of("0"), Optional.of(60.0), Measure.ESTIMATE, Optional.of(512.0)),
            tuple("own", List.of("1", "2"), Optional.of(30.0), Measure.POD, Optional.of(2048.0)));
  }

  @ParameterizedTest
  @CsvSource({
    // below, observed, held, idle or -1, at least
    "3600, 7200, 7200, 3600, false",
    "7200, 7200, 7300, 7200, true",
    "7200, 7200, 2000, 2000, false",
    "7200, 9000, 1799,   -1, false",
    "1799, 9000, 9000,   -1, false",
  })
  void idleIsTheTimeThatAPodHasTheGpuWithoutUse(
      long below, long observed, long held, long idle, boolean atLeast) {
    GpuUse gpu =
        new GpuUse(
            "0",
            "GPU-0",
            "",
            "",
            true,
            Optional.of(0.0),
            Optional.of(2048.0),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Map.of("0.05", below, GpuUse.OBSERVED, observed),
            List.of(own("p", held)));

    List<IdleRow> rows = idle(gpu).rows();

    if (idle < 0) {
      assertThat(rows).isEmpty();
    } else {
      assertThat(rows)
          .extracting(
              IdleRow::idleSeconds,
              IdleRow::atLeast,
              IdleRow::since,
              IdleRow::owner,
              IdleRow::memoryUsedMib)
          .containsExactly(
              tuple(
                  idle,
                  atLeast,
                  NOW.minusSeconds(idle).toString(),
                  "StatefulSet/notebook",
                  Optional.of(2048.0)));
    }
  }

  @Test
  void freeGpuIsNotIdle_andOneThatIsNotMeasuredIsNamed() {
    Map<String, Long> times = Map.of("0.05", 9000L, GpuUse.OBSERVED, 9000L);

    assertThat(idle(gpu(0, 0)).rows()).isEmpty();
    assertThat(idle(gpu(0, 0)).unmeasured()).isEmpty();
    assertThat(idle(gpu(0, 0, own("p", 9000))).unmeasured()).containsExactly("a GPU 0");
    assertThat(
            idle(new GpuUse(
                    "0",
                    "GPU-0",
                    "",
                    "",
                    true,
                    Optional.of(0.0),
                    Optional.of(2048.0),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    times,
                    List.of(new Holder("ml", "p", true, 9000, Optional.empty(), Optional.of(5.0)))))
                .rows())
        .extracting(IdleRow::shared, IdleRow::memoryUsedMib)
        .containsExactly(tuple(true, Optional.of(5.0)));
  }

  private static IdleRow.Idle idle(GpuUse gpu) {
    var pod = Objects.pod("p", "a", "nvidia.com/gpu: 1", "");
    var owned =
        Pod.of(
            Objects.json(
                """
                metadata:
                  namespace: ml
                  name: p
                  ownerReferences:
                  - {kind: Node, name: other}
                  - {kind: StatefulSet, name: notebook, controller: true}
                """));
    return IdleRow.of(
        List.of(new NodeUse("a", List.of(gpu), "")),
        new IdleRow.Limit("0.05", Duration.ofMinutes(30)),
        Optional.of(List.of(owned, pod)),
        NOW);
  }

  private static Holder own(String pod, long seconds) {
    return new Holder("ml", pod, false, seconds, Optional.empty(), Optional.empty());
  }

  private static GpuUse gpu(int index, double percent, Holder... holders) {
    return new GpuUse(
        String.valueOf(index),
        "GPU-" + index,
        "",
        "",
        true,
        Optional.of(percent),
        Optional.of(1024.0),
        Optional.of(81920.0),
        Optional.of(300.0),
        Optional.of(50.0),
        Map.of(),
        List.of(holders));
  }

  private static GpuUse silent(int index) {
    return new GpuUse(
        String.valueOf(index),
        "GPU-" + index,
        "",
        "",
        false,
        Optional.of(55.0),
        Optional.of(1024.0),
        Optional.of(81920.0),
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        List.of());
  }
}
