package dev.pitcrew.agent.status;

import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.status.plan.GpuNodeReport;
import dev.pitcrew.agent.status.plan.StatusApply;
import dev.pitcrew.api.node.GpuNodeStatus;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/// The report of the node, made once for each state, however many controllers report parts of it.
public final class ReportCache {
  private final AgentContext context;
  private final ReentrantLock lock = new ReentrantLock();
  private Optional<Made> made = Optional.empty();

  private record Made(ReportInput from, GpuNodeStatus report) {}

  public ReportCache(AgentContext context) {
    this.context = context;
  }

  public GpuNodeStatus of(ReportInput input) {
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
        ReportFacts.of(input, context),
        StatusApply.read(input.gpuNode()),
        context.clock().instant());
  }
}
