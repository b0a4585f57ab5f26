// Long because it is the list of all figures of claims, phase by phase.
package dev.pitcrew.testbed.bench;

import static dev.pitcrew.testbed.bench.Goal.Unit.CALLS;
import static dev.pitcrew.testbed.bench.Goal.Unit.FINE_MEBIBYTES;
import static dev.pitcrew.testbed.bench.Goal.Unit.FINE_MILLISECONDS;
import static dev.pitcrew.testbed.bench.Goal.Unit.MILLISECONDS;
import static dev.pitcrew.testbed.bench.Goal.Unit.SECONDS;

import dev.pitcrew.kubelet.dra.Claim;
import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.AuditLog.Request;
import dev.pitcrew.testbed.demo.InstalledCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// What GPUs by claims cost, and how fast they are. The figures of NVIDIA's DRA driver were taken
/// on another machine of two cores, with its client limits and without them.
///
/// @param trials of each single change; the slowest counts where a limit says so
record ClaimBench(AgentUnderTest agent, int trials) {
  private static final String LABEL = "gpu-claims";
  private static final String SMALL = "1g.10gb";
  private static final String SMALL_DEVICE = "-mig-1g10gb-";
  private static final String SLICES = "resource.k8s.io/resourceslices";
  private static final int GPU = 5;

  /// An uncontained memory error, which a reset clears (NVIDIA's Xid catalogue).
  private static final int XID = 95;

  private static final int HALF = 50;
  private static final int NEARLY_ALL = 99;
  private static final int ALL = 100;
  private static final int MANY_CLAIMS = 1_000;
  private static final int CALLS_A_CALLER = 20;
  private static final int SMALL_ONES = 7;
  private static final int SMALL_PODS = 28;
  private static final double NANOS_PER_MILLI = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final Duration QUIET = Duration.ofSeconds(10);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final List<String> FUNCTIONS =
      List.of(
          "labels",
          "devicePlugin",
          "cdi",
          "runtime",
          "mps",
          "validation",
          "nodeStatus",
          "metrics",
          "health");

  /// What can be measured alone.
  enum Phase {
    MEMORY,
    SLICES,
    TAINTS,
    CALLS,
    PODS,
    /// On simulated nodes ([SchedulerBench]).
    SCHEDULER
  }

  /// Values of the chart: the function `dra`, and which nodes serve claims.
  static Map<String, Object> values() {
    return Map.of(
        "fleetPolicy",
        Map.of(
            "agent",
            Map.of("functions", withDra()),
            "dra",
            Map.of(
                "nodeSelector",
                Map.of(LABEL, "true"),
                "featureGates",
                Map.of("DynamicMIG", true))));
  }

  private static List<String> withDra() {
    return Stream.concat(FUNCTIONS.stream(), Stream.of("dra")).toList();
  }

  List<Figure> figures(Phase phase) {
    return switch (phase) {
      case MEMORY -> memory();
      case SLICES -> slices();
      case TAINTS -> taints();
      case CALLS -> calls();
      case PODS -> pods();
      case SCHEDULER -> List.of(); // has no real node
    };
  }

  /// On a fresh process each.
  private List<Figure> memory() {
    agent.label(Map.of(LABEL, "false"));
    agent.provide(FUNCTIONS);
    awaitRolled();
    var without = atRest();
    agent.provide(withDra());
    awaitRolled();
    serve();
    var with = atRest();
    return List.of(
        new Figure(
                "RSS of the agent with `dra`, less without",
                FINE_MEBIBYTES,
                "64 to 70 MB, a process of its own",
                with.residentMib() - without.residentMib())
            .atMost(15),
        new Figure(
            "RssAnon, likewise", FINE_MEBIBYTES, "", with.anonymousMib() - without.anonymousMib()));
  }

  private PodMemory.Resident atRest() {
    agent.calls().awaitQuiet(QUIET, AgentUnderTest.LIMIT);
    return PodMemory.of(agent.processes(agent.cluster().server())).agent().orElseThrow();
  }

  private void awaitRolled() {
    Await.orFail(AgentUnderTest.LIMIT, "the agents were not rolled", agent::isRolled);
  }

  private List<Figure> slices() {
    serve();
    var quiet = agent.calls();
    quiet.awaitQuiet(QUIET, AgentUnderTest.LIMIT);
    var begin = Instant.now();
    Await.pause(MINUTE);
    var idle = quiet.between(begin, begin.plus(MINUTE));
    var restarted = restart();
    var loaded = new ArrayList<Duration>();
    for (int trial = 0; trial < trials; trial++) {
      loaded.add(load());
    }
    var from = millis(new Latencies(loaded), ALL);
    return List.of(
        new Figure("API calls in an idle minute", CALLS, "0", idle.size()).atMost(0),
        new Figure("writes of slices over a restart of the agent", CALLS, "", restarted).atMost(0),
        new Figure("driver loaded → slices written, slowest", MILLISECONDS, "", from).atMost(1_000),
        new Figure("NVML answers → slices written, at most", MILLISECONDS, "1,500 ms", from)
            .atMost(300));
  }

  /// The agent is killed, and has come to rest again.
  private long restart() {
    var begin = Instant.now();
    var old = process().orElseThrow();
    ProcessHandle.of(old).ifPresent(ProcessHandle::destroyForcibly);
    Await.orFail(
        AgentUnderTest.LIMIT,
        "no agent was started",
        () -> process().isPresent() && process().getAsLong() != old);
    agent.calls().awaitQuiet(QUIET, AgentUnderTest.LIMIT);
    return writes(begin).count();
  }

  private OptionalLong process() {
    return agent.processes(agent.cluster().server()).agent().stream()
        .mapToLong(PodProcesses.OfPod::id)
        .findFirst();
  }

  /// Slices of a driver that is away are not written, so that their removal shows when it is back.
  private Duration load() {
    var gpus = agent.cluster().gpus();
    gpus.unloadDriver();
    Await.orFail(
        AgentUnderTest.LIMIT,
        "GPUs are still offered",
        () -> agent.calls().awaitQuiet(QUIET, QUIET));
    claims().deleteSlices();
    var begin = Instant.now();
    gpus.loadDriver();
    awaitServed();
    return Duration.between(begin, lastWrite(begin));
  }

  private List<Figure> taints() {
    serve();
    var times = new ArrayList<Duration>();
    long written = 0;
    for (int trial = 0; trial < trials; trial++) {
      agent.calls().awaitQuiet(QUIET, AgentUnderTest.LIMIT);
      var begin = Instant.now();
      agent.cluster().gpus().xid(GPU, XID);
      Await.orFail(AgentUnderTest.LIMIT, "no device was tainted", this::isTainted);
      agent.calls().awaitQuiet(Duration.ofSeconds(2), AgentUnderTest.LIMIT);
      times.add(Duration.between(begin, lastWrite(begin)));
      written = Math.max(written, updates(begin));
      agent.cluster().gpus().unloadDriver();
      agent.cluster().gpus().loadDriver();
      Await.orFail(AgentUnderTest.LIMIT, "the taint stays", () -> !isTainted());
    }
    return List.of(
        new Figure("Xid → slice, slowest", MILLISECONDS, "", millis(new Latencies(times), ALL))
            .atMost(1_000),
        new Figure("writes of slices for a taint", CALLS, "", written).atMost(1));
  }

  /// A dry run before the first taint is a create.
  private long updates(Instant since) {
    return writes(since).filter(request -> request.verb().equals("update")).count();
  }

  private boolean isTainted() {
    return claims().devices().stream().anyMatch(device -> !device.getTaints().isEmpty());
  }

  private List<Figure> calls() {
    serve();
    var all = new ArrayList<Figure>();
    all.addAll(calls("GPU", "8 / 46 ms", NodeClaims.GPU, "", 25));
    all.addAll(manyClaims());
    all.addAll(calls("dynamic MIG", "14 / 145 ms", NodeClaims.MIG, SMALL_DEVICE, 25));
    try {
      dynamicMig(false);
      divide(SMALL_ONES);
      Await.orFail(
          AgentUnderTest.LIMIT,
          "the MIG devices are not served",
          () ->
              claims().devices("").isEmpty()
                  && claims().devices(SMALL_DEVICE).size() == SMALL_ONES * InstalledCluster.GPUS);
      all.addAll(calls("static MIG", "", NodeClaims.MIG, SMALL_DEVICE, 25));
    } finally {
      divide(0);
      dynamicMig(true);
    }
    return all;
  }

  /// 1, 8 and as many callers as there are devices, 32 at most; each has one device.
  private List<Figure> calls(
      String kind, String reference, String deviceClass, String device, int most) {
    var devices = perGpu(claims().devices(device));
    return Stream.of(1, 8, 32)
        .filter(callers -> callers <= devices.size())
        .flatMap(callers -> {
          var own = claims().allocated(devices.subList(0, callers), deviceClass, false);
          var calls = measured(own.stream().map(List::of).toList(), CALLS_A_CALLER);
          return rows(kind, callers, reference, calls, most);
        })
        .toList();
  }

  /// A thousand claims with admin access that are all prepared before the first is unprepared.
  private List<Figure> manyClaims() {
    var devices = claims().devices("");
    var names =
        IntStream.range(0, MANY_CLAIMS).mapToObj(it -> devices.get(it % devices.size())).toList();
    var made = claims().allocated(names, NodeClaims.GPU, true);
    var each = MANY_CLAIMS / 32 + 1;
    var perCaller =
        IntStream.range(0, 32)
            .mapToObj(it -> made.subList(Math.min(it * each, MANY_CLAIMS), end(it, each)))
            .toList();
    return rows("GPU, 1,000 claims held", 32, "", measured(perCaller, 1), 25).toList();
  }

  private static int end(int caller, int each) {
    return Math.min((caller + 1) * each, MANY_CLAIMS);
  }

  private ClaimCalls measured(List<List<Claim>> claims, int rounds) {
    var socket = agent.cluster().server().path(ClaimCalls.SOCKET.toString());
    try {
      ClaimCalls.of(socket, claims.stream().map(it -> it.subList(0, 1)).toList(), 2); // warms up
      return ClaimCalls.of(socket, claims, rounds);
    } finally {
      claims().deleteAllocated();
    }
  }

  private static Stream<Figure> rows(
      String kind, int callers, String reference, ClaimCalls calls, int most) {
    var name = "%s, %d %s: ".formatted(kind, callers, callers == 1 ? "caller" : "callers");
    return Stream.of(
        fine(name + "prepare, p50", reference, calls.prepare(), HALF).atMost(5),
        fine(name + "prepare, p99", reference, calls.prepare(), NEARLY_ALL).atMost(most),
        fine(name + "unprepare, p99", "27 ms", calls.unprepare(), NEARLY_ALL).atMost(10));
  }

  /// The first device of each GPU, then the second of each.
  private static List<String> perGpu(List<String> devices) {
    var ordered = new ArrayList<String>();
    for (int round = 0; ordered.size() < devices.size(); round++) {
      for (int gpu = 0; gpu < InstalledCluster.GPUS; gpu++) {
        var prefix = "gpu-" + gpu;
        devices.stream()
            .filter(name -> name.equals(prefix) || name.startsWith(prefix + "-"))
            .skip(round)
            .findFirst()
            .ifPresent(ordered::add);
      }
    }
    return ordered;
  }

  private List<Figure> pods() {
    serve();
    return List.of(
        seconds("1 pod with a claim → Running, p50", "0.34 to 0.6 s", pods(1, ""), HALF)
            .atMost(0.6),
        seconds("8 pods with a GPU each → all Running", "2.3 to 2.5 s", pods(8, ""), 1).atMost(2),
        seconds(
                "28 pods with a 1g.10gb each → all Running",
                "7.4 to 8.5 s",
                pods(SMALL_PODS, SMALL),
                1)
            .atMost(7));
  }

  private Latencies pods(int count, String profile) {
    return new Latencies(
        IntStream.range(0, trials).mapToObj(_ -> claims().pods(count, profile)).toList());
  }

  private void serve() {
    agent.label(Map.of(LABEL, "true"));
    awaitServed();
  }

  private void awaitServed() {
    Await.orFail(
        AgentUnderTest.LIMIT,
        () -> "claims serve " + claims().devices(""),
        () -> claims().devices("").size() == InstalledCluster.GPUS);
  }

  private void dynamicMig(boolean isOn) {
    agent.editFleet("{\"spec\":{\"dra\":{\"featureGates\":{\"DynamicMIG\":%s}}}}".formatted(isOn));
  }

  /// Divides all GPUs into so many of the smallest instances, as an administrator does with
  /// nvidia-smi, and reloads the driver.
  private void divide(int count) {
    var layout = new StringBuilder();
    for (int gpu = 0; gpu < InstalledCluster.GPUS; gpu++) {
      layout.append("mode %d %2$d %2$d\n".formatted(gpu, count == 0 ? 0 : 1));
      for (int part = 0; part < count; part++) {
        layout.append(
            "gi %1$d %2$d 0 %3$d 1\nci %1$d %2$d 0 0 0 1\n".formatted(gpu, part + 7, part));
      }
    }
    var gpus = agent.cluster().gpus();
    gpus.unloadDriver();
    gpus.divide(layout.toString());
    gpus.loadDriver();
  }

  private Stream<Request> writes(Instant since) {
    return agent.calls().since(since).stream()
        .filter(request -> request.isMutating() && request.resource().equals(SLICES));
  }

  private Instant lastWrite(Instant since) {
    return writes(since)
        .map(Request::answered)
        .max(Instant::compareTo)
        .orElseThrow(() -> new TestbedException("the audit log has no write of a slice"));
  }

  private NodeClaims claims() {
    return new NodeClaims(agent.cluster().controlPlane().client(), agent.cluster().server());
  }

  private static Figure fine(String measure, String reference, Latencies latencies, int percent) {
    return new Figure(measure, FINE_MILLISECONDS, reference, millis(latencies, percent));
  }

  private static Figure seconds(
      String measure, String reference, Latencies latencies, int percent) {
    return new Figure(
        measure, SECONDS, reference, latencies.percentile(percent).toNanos() / NANOS_PER_SECOND);
  }

  private static double millis(Latencies latencies, int percent) {
    return latencies.percentile(percent).toNanos() / NANOS_PER_MILLI;
  }
}
