package dev.pitcrew.agent.process;

import dev.pitcrew.agent.status.GpuNodeReport;
import dev.pitcrew.agent.status.StatusApply;
import dev.pitcrew.api.node.GpuNodeStatus;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The report of the node, made once for each state, however many controllers report parts of it.
final class ReportCache {
  private final AgentContext place;
  private final ReentrantLock lock = new ReentrantLock();
  private Optional<Made> made = Optional.empty();

  private record Made(ReportInput from, GpuNodeStatus report) {}

  ReportCache(AgentContext place) {
    this.place = place;
  }

  GpuNodeStatus of(ReportInput input) {
    lock.lock();
    try {
      if (made.filter(it -> it.from().equals(input)).isEmpty()) {
        made = Optional.of(new Made(input, report(input)));
      }
      return made.get().report();
    } finally {
      lock.unlock();
    }
  }

  private GpuNodeStatus report(ReportInput input) {
    return GpuNodeReport.of(
        ReportFacts.of(input, place), StatusApply.read(input.gpuNode()), place.clock().instant());
  }
}
