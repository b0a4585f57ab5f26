package dev.pitcrew.testbed.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AgentGoalTest {
  @Test
  void aFigureAboveItsTargetIsShownAsAMiss() {
    assertThat(goal("Xid → kubelet told, p50").row(figures(Duration.ofMillis(51))))
        .isEqualTo("| Xid → kubelet told, p50 | 46 ms | ≤ 50 ms | 51 ms | **no** |");
    assertThat(goal("Xid → kubelet told, p50").row(figures(Duration.ofMillis(40))))
        .endsWith("| 40 ms | yes |");
  }

  @Test
  void aMeasureWithoutTargetHasNoVerdict() {
    assertThat(goal("Xid → kubelet told, slowest").row(figures(Duration.ofMillis(51))))
        .endsWith("|  | 51 ms |  |");
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
        List.of(),
        starts,
        starts,
        new DeviceNews.Faults(latencies, latencies),
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
