package dev.pitcrew.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.cli.Objects;
import dev.pitcrew.cli.cluster.DriverSource;
import dev.pitcrew.cli.cluster.GpuNode;
import dev.pitcrew.core.rollout.RolloutEnd;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutReportTest {
  @ParameterizedTest
  @CsvSource({
    "Done Done, '', DONE",
    "Done Drain, '', NONE",
    "Done Failed, '', STOPPED",
    "Failed Drain, '', NONE",
    "Done Pending, 'the roll-out is halted: node a failed', STOPPED",
    "Done Pending, 'no maintenance window is open', NONE",
    "Failed Pending, '', NONE", // it begins now
  })
  void end(String phases, String blocker, RolloutEnd end) {
    RolloutReport report = report(source("", true), phases, blocker);

    assertThat(report.end()).isEqualTo(end);
    assertThat(report.halt()).isEqualTo(blocker.contains("halted") ? "node a failed" : "");
  }

  @Test
  void whatIsRefusedOrNotSeenYet_isNotDone() {
    assertThat(report(source("shares a node", true), "Done", "").end())
        .isEqualTo(RolloutEnd.STOPPED);
    assertThat(report(source("", false), "Done", ""))
        .satisfies(it -> assertThat(it.end()).isEqualTo(RolloutEnd.NONE))
        .satisfies(it -> assertThat(it.summary()).contains("has not looked at its last change"));
  }

  private static RolloutReport report(DriverSource source, String phases, String blocker) {
    List<GpuNode> nodes =
        Arrays.stream(phases.split(" ", -1)).map(it -> gpuNode(it, blocker)).toList();
    var fleet =
        new RolloutReport.Fleet(nodes, Optional.empty(), Optional.empty(), Optional.empty());
    return RolloutReport.of(List.of(source), fleet).getFirst();
  }

  private static GpuNode gpuNode(String phase, String blocker) {
    return GpuNode.of(
        Objects.json(
            "metadata: {name: n-%s}\nstatus: {rollout: {phase: %s, blocker: '%s'}}"
                .formatted(
                    phase.equals("Done") ? phase + System.nanoTime() : phase,
                    phase,
                    phase.equals("Pending") ? blocker : "")));
  }

  private static DriverSource source(String refusal, boolean observed) {
    return new DriverSource(true, "p", observed, refusal, "", "600", "nv/driver");
  }
}
