package dev.pitcrew.agent.process;

import dev.pitcrew.agent.status.GpuNodeReport;
import dev.pitcrew.agent.status.StatusApply;
import dev.pitcrew.api.node.GpuNodeStatus;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The report of the node, made once for each situation, however many concerns report parts of it.
final class ReportCache {
  private final AgentContext place;
  private final ReentrantLock lock = new ReentrantLock();
  private Optional<Made> made = Optional.empty();

  private record Made(NodeState from, GpuNodeStatus report) {}

  ReportCache(AgentContext place) {
    this.place = place;
  }

  GpuNodeStatus of(NodeState situation) {
    lock.lock();
    try {
      if (made.filter(it -> it.from().equals(situation)).isEmpty()) {
        made = Optional.of(new Made(situation, report(situation)));
      }
      return made.get().report();
    } finally {
      lock.unlock();
    }
  }

  private GpuNodeStatus report(NodeState situation) {
    return GpuNodeReport.of(
        ReportFacts.of(situation, place),
        StatusApply.read(situation.cluster().gpuNodeObject()),
        place.clock().instant());
  }
}
