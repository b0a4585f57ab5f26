package dev.pitcrew.testbed.bench;

import static dev.pitcrew.testbed.bench.Goal.Unit.CALLS;
import static dev.pitcrew.testbed.bench.Goal.Unit.FINE_MEBIBYTES;
import static dev.pitcrew.testbed.bench.Goal.Unit.FINE_MILLISECONDS;
import static dev.pitcrew.testbed.bench.Goal.Unit.MILLISECONDS;
import static dev.pitcrew.testbed.bench.Goal.Unit.PERCENT;

import dev.pitcrew.testbed.bench.AgentStarts.Started;
import dev.pitcrew.testbed.bench.AgentStarts.Starts;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// What is measured of the agent. The figures of NVIDIA's operands were taken on another machine,
/// each of their programs as a process, without a container around it.
final class AgentGoals {
  private static final String UNKNOWN = "";
  private static final int HALF = 50;
  private static final int NEARLY_ALL = 99;
  private static final int ALL = 100;
  private static final double NANOS_PER_MILLI = 1e6;

  /// Half of what `pitcrew plugin` alone cost on 8 simulated GPUs: 910 ms and 39 threads.
  private static final int MOST_IDLE_CPU = 455;

  private static final int MOST_IDLE_THREADS = 19;

  private AgentGoals() {}

  /// Every measure, in the order of the table.
  static List<AgentGoal> all() {
    return Stream.of(
            starts("pod deleted: container's start", AgentFigures::pods),
            starts("process killed: its next start", AgentFigures::processes),
            news(),
            allocations(),
            MigGoals.all(),
            memory(),
            waiting(),
            calls(),
            scrapes())
        .flatMap(List::stream)
        .toList();
  }

  private static List<AgentGoal> starts(String from, Function<AgentFigures, Starts> starts) {
    return List.of(
        start(from + " → registered, p50", "", starts, Started::registered, HALF),
        start(from + " → kubelet has all devices, p50", "19 ms", starts, Started::listed, HALF),
        start(from + " → CDI specification, p50", "", starts, Started::cdi, HALF),
        start(from + " → Node labelled, p50", "233 ms", starts, Started::labelled, HALF),
        start(from + " → all of it, p50", "", starts, Started::complete, HALF).atMost(1_000),
        start(from + " → all of it, slowest", "", starts, Started::complete, ALL));
  }

  private static AgentGoal start(
      String measure,
      String reference,
      Function<AgentFigures, Starts> starts,
      Function<Started, Duration> moment,
      int percent) {
    return new AgentGoal(
        measure,
        MILLISECONDS,
        reference,
        figures -> millis(starts.apply(figures).latencies(moment).percentile(percent)));
  }

  private static List<AgentGoal> news() {
    return List.of(
        latency("Xid → kubelet informed, p50", "46 ms", it -> it.faults().unhealthy(), HALF)
            .atMost(50),
        latency("Xid → kubelet informed, slowest", UNKNOWN, it -> it.faults().unhealthy(), ALL),
        latency("GPU hangs → kubelet informed, p50", UNKNOWN, it -> it.faults().hung(), HALF)
            .atMost(2_000),
        latency("GPU hangs → kubelet informed, slowest", UNKNOWN, it -> it.faults().hung(), ALL)
            .atMost(2_000),
        latency("driver loaded → all healthy, p50", UNKNOWN, it -> it.faults().well(), HALF),
        latency("driver loaded → all healthy, slowest", UNKNOWN, it -> it.faults().well(), ALL),
        latency("new kubelet → registered, p50", "7 ms", AgentFigures::reRegistered, HALF)
            .atMost(100),
        latency("new kubelet → registered, slowest", UNKNOWN, AgentFigures::reRegistered, ALL));
  }

  private static List<AgentGoal> allocations() {
    return List.of(
        allocation("Allocate, p50", it -> it.allocations().later(), HALF),
        allocation("Allocate, p99", it -> it.allocations().later(), NEARLY_ALL).atMost(5),
        allocation("first calls of a fresh client, p50", it -> it.allocations().first(), HALF),
        allocation(
            "first calls of a fresh client, p99", it -> it.allocations().first(), NEARLY_ALL));
  }

  private static List<AgentGoal> memory() {
    return List.of(
        mebibytes("container's cgroup at rest", "≥ 87 MiB", rested(it -> it.container().usedMib()))
            .atMost(128),
        mebibytes("its working set", UNKNOWN, rested(it -> it.container().workingSetMib())),
        mebibytes("pod's cgroup (with pause)", UNKNOWN, rested(it -> it.pod().usedMib())),
        mebibytes("RSS of the JVM", UNKNOWN, rested(it -> it.agent().orElseThrow().residentMib())),
        mebibytes(
            "RssAnon of the JVM", UNKNOWN, rested(it -> it.agent().orElseThrow().anonymousMib())),
        mebibytes("RSS of the gate", UNKNOWN, rested(it -> it.gate().residentMib())),
        mebibytes(
            "container's cgroup after all trials",
            UNKNOWN,
            it -> it.memory().ended().container().usedMib()),
        mebibytes(
            "its working set after all trials",
            UNKNOWN,
            it -> it.memory().ended().container().workingSetMib()));
  }

  private static List<AgentGoal> waiting() {
    return List.of(
        mebibytes(
                "no GPU: working set of the container",
                UNKNOWN,
                waits(it -> it.container().workingSetMib()))
            .atMost(2),
        mebibytes("no GPU: container's cgroup", UNKNOWN, waits(it -> it.container().usedMib())),
        mebibytes("no GPU: pod's working set", UNKNOWN, waits(it -> it.pod().workingSetMib())),
        mebibytes("no GPU: RSS of the gate", UNKNOWN, waits(it -> it.gate().residentMib()))
            .atMost(2));
  }

  private static List<AgentGoal> calls() {
    return List.of(
        new AgentGoal("API calls in an idle minute", CALLS, UNKNOWN, it -> it.idle().calls().size())
            .atMost(0),
        new AgentGoal(
                "CPU of the agent in an idle minute, 8 GPUs",
                MILLISECONDS,
                "350 ms",
                it -> millis(it.idle().cpu()))
            .atMost(MOST_IDLE_CPU),
        new AgentGoal("its threads", CALLS, "14", it -> it.idle().threads())
            .atMost(MOST_IDLE_THREADS));
  }

  private static List<AgentGoal> scrapes() {
    return List.of(
        scrape("8 GPUs × 7 MIG instances: 1,000 scrapes, p50", it -> it.scrapes().first(), HALF),
        scrape("1,000 scrapes, p99", it -> it.scrapes().first(), NEARLY_ALL).atMost(20),
        scrape("10,000 scrapes, p50", it -> it.scrapes().all(), HALF),
        scrape("10,000 scrapes, p99", it -> it.scrapes().all(), NEARLY_ALL).atMost(20),
        mebibytes(
                "heap after GC, scrape 10,000 less scrape 1,000",
                UNKNOWN,
                it -> it.scrapes().afterAll().heapMib() - it.scrapes().afterFirst().heapMib())
            .atMost(2),
        mebibytes(
                "RssAnon, scrape 10,000 less scrape 1,000",
                UNKNOWN,
                it ->
                    it.scrapes().afterAll().anonymousMib()
                        - it.scrapes().afterFirst().anonymousMib())
            .atMost(2),
        new AgentGoal(
            "CPU of the agent while GPUs are sampled once a second, of one processor",
            PERCENT,
            UNKNOWN,
            it -> it.scrapes().cpuPercent()),
        mebibytes(
                "all functions, 56 MIG devices, after 10,000 scrapes: container's cgroup",
                UNKNOWN,
                it -> it.scrapes().memory().container().usedMib())
            .atMost(128),
        mebibytes(
            "its working set", UNKNOWN, it -> it.scrapes().memory().container().workingSetMib()));
  }

  private static AgentGoal scrape(
      String measure, Function<AgentFigures, Latencies> which, int percent) {
    return new AgentGoal(
        measure, FINE_MILLISECONDS, UNKNOWN, it -> millis(which.apply(it).percentile(percent)));
  }

  private static AgentGoal latency(
      String measure, String reference, Function<AgentFigures, Latencies> which, int percent) {
    return new AgentGoal(
        measure, MILLISECONDS, reference, it -> millis(which.apply(it).percentile(percent)));
  }

  private static AgentGoal allocation(
      String measure, Function<AgentFigures, Latencies> which, int percent) {
    return new AgentGoal(
        measure, FINE_MILLISECONDS, UNKNOWN, it -> millis(which.apply(it).percentile(percent)));
  }

  private static AgentGoal mebibytes(
      String measure, String reference, ToDoubleFunction<AgentFigures> figure) {
    return new AgentGoal(measure, FINE_MEBIBYTES, reference, figure);
  }

  private static ToDoubleFunction<AgentFigures> rested(ToDoubleFunction<PodMemory> figure) {
    return it -> figure.applyAsDouble(it.memory().rested());
  }

  private static ToDoubleFunction<AgentFigures> waits(ToDoubleFunction<PodMemory> figure) {
    return it -> figure.applyAsDouble(it.memory().waiting());
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / NANOS_PER_MILLI;
  }
}
