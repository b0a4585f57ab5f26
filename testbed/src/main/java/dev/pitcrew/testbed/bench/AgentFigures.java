package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.AgentStarts.Starts;
import dev.pitcrew.testbed.bench.DeviceNews.Faults;
import dev.pitcrew.testbed.bench.ScrapeBench.Scrapes;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.time.Duration;
import java.util.List;

/// All that is measured of the agent.
///
/// @param load the machine's load average before the run
/// @param idle a minute in which nothing happens
/// @param reRegistered from the socket of a new kubelet until the registration
record AgentFigures(
    double load,
    Memory memory,
    Idle idle,
    Starts pods,
    Starts processes,
    Faults faults,
    Latencies reRegistered,
    Allocations allocations,
    Scrapes scrapes,
    MigChanges.Changed mig) {
  /// @param rested on the node with GPUs before anything was measured
  /// @param ended there after all trials
  /// @param waiting on the node without GPUs
  record Memory(PodMemory rested, PodMemory ended, PodMemory waiting) {}

  /// @param calls to the API server, of all agents, watches included
  /// @param cpu of the JVM on the node with GPUs
  /// @param threads that it has at the end
  record Idle(List<Request> calls, Duration cpu, int threads) {
    Idle {
      calls = List.copyOf(calls);
    }

    @Override
    public String toString() {
      return "%d calls, %d ms of CPU, %d threads".formatted(calls.size(), cpu.toMillis(), threads);
    }
  }
}
