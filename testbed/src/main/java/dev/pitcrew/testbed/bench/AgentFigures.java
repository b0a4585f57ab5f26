package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.AgentStarts.Starts;
import dev.pitcrew.testbed.bench.DeviceNews.Faults;
import dev.pitcrew.testbed.bench.ScrapeBench.Scrapes;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import java.util.List;

/// All that is measured of the agent.
///
/// @param load the machine's load average before the run
/// @param idleCalls of all agents in a minute in which nothing happens, watches included
/// @param reRegistered from the socket of a new kubelet until the registration
record AgentFigures(
    double load,
    Memory memory,
    List<Request> idleCalls,
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

  AgentFigures {
    idleCalls = List.copyOf(idleCalls);
  }
}
