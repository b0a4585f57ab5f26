package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AgentGoalTest {
  @Test
  void aFigureAboveItsTargetIsShownAsAMiss() {
    assertThat(goal("Xid → kubelet informed, p50").row(figures(Duration.ofMillis(51))))
        .isEqualTo("| Xid → kubelet informed, p50 | 46 ms | ≤ 50 ms | 51 ms | **no** |");
    assertThat(goal("Xid → kubelet informed, p50").row(figures(Duration.ofMillis(40))))
        .endsWith("| 40 ms | yes |");
  }

  @Test
  void aMeasureWithoutTargetHasNoVerdict() {
    assertThat(goal("Xid → kubelet informed, slowest").row(figures(Duration.ofMillis(51))))
        .endsWith("|  | 51 ms |  |");
  }

  @Test
  void idleMinute_isShownBesideTheReference() {
    assertThat(goal("CPU of the agent in an idle minute, 8 GPUs").row(figures(Duration.ZERO)))
        .endsWith("| 350 ms | ≤ 455 ms | 300 ms | yes |");
    assertThat(goal("its threads").row(figures(Duration.ZERO)))
        .endsWith("| 14 | ≤ 19 | 22 | **no** |");
  }

  private static AgentGoal goal(String measure) {
    return AgentGoals.all().stream()
        .filter(goal -> goal.measure().equals(measure))
        .findFirst()
        .orElseThrow();
  }

  private static AgentFigures figures(Duration all) {
    var latencies = new Latencies(List.of(all));
    var starts = new AgentStarts.Starts(List.of(new AgentStarts.Started(all, all, all, all)));
    var cgroup = new PodMemory.Cgroup(90, 80);
    var process = new PodMemory.Resident(1, 1);
    var memory = new PodMemory(process, Optional.of(process), cgroup, cgroup);
    return new AgentFigures(
        0.1,
        new AgentFigures.Memory(memory, memory, memory),
        new AgentFigures.Idle(List.of(), Duration.ofMillis(300), 22),
        starts,
        starts,
        new DeviceNews.Faults(latencies, latencies, latencies),
        latencies,
        new Allocations(latencies, latencies),
        new ScrapeBench.Scrapes(
            1,
            1,
            latencies,
            latencies,
            new ScrapeBench.Held(1, 1),
            new ScrapeBench.Held(1, 1),
            1,
            memory),
        new MigChanges.Changed(latencies, latencies, latencies, 2, 0, 0));
  }
}
