package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.bench.SizeFigures.Answers;
import dev.pitcrew.testbed.bench.SizeFigures.Memory;
import dev.pitcrew.testbed.bench.SizeFigures.Minute;
import dev.pitcrew.testbed.bench.SizeFigures.Start;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Measures the operator at one size, on a cluster of its own.
final class SizeBench {
  private static final Duration START_LIMIT = Duration.ofMinutes(6);
  private static final Duration READY_LIMIT = Duration.ofMinutes(8);

  /// Longer than the operator waits to see whether something lasts before it reports it.
  private static final Duration QUIET = Duration.ofSeconds(15);

  private static final Duration QUIET_LIMIT = Duration.ofMinutes(2);

  /// Longer than a plan that is carried out leaves between two DaemonSets.
  private static final Duration NO_DAEMON_SET = Duration.ofSeconds(2);

  private final Setting setting;
  private final int nodes;
  private final BenchCluster cluster;
  private final OperatorUnderTest operator;
  private final OperatorCalls calls;
  private final Consumer<String> progress;

  private SizeBench(Setting setting, int nodes, BenchCluster cluster, Consumer<String> progress) {
    this.setting = setting;
    this.nodes = nodes;
    this.cluster = cluster;
    this.calls = cluster.operatorCalls();
    this.progress = progress;
    say("start of the operator");
    this.operator = cluster.start(setting.operator());
  }

  /// Runs every phase.
  ///
  /// @param progress receives what is being done, a line at a time
  static SizeFigures run(Setting setting, int nodes, Consumer<String> progress) {
    var load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    progress.accept(nodes + " nodes: start of a control plane and the nodes");
    try (var cluster = setting.cluster(nodes)) {
      return new SizeBench(setting, nodes, cluster, progress).run(load);
    }
  }

  private SizeFigures run(double load) {
    Await.orFail(START_LIMIT, "not all was applied and labelled", this::isStarted);
    var started = operator.figures();
    say("wait until the policy is ready");
    var ready = awaitReady();
    awaitQuiet();
    var rested = operator.figures();
    var start = start(ready, started.cpu());
    var minute = steadyMinute();
    var answers = answers();
    var memory = new Memory(started, rested, operator.figures());
    return new SizeFigures(nodes, load, start, memory, minute, answers);
  }

  private boolean isStarted() {
    operator.requireRunning();
    return StartCalls.of(calls.all())
        .isComplete(BenchCluster.gpuNodes(nodes), Instant.now().minus(NO_DAEMON_SET));
  }

  private Optional<Duration> awaitReady() {
    var isReady = Await.upTo(Setting.runsPods(nodes) ? READY_LIMIT : Duration.ZERO, this::isReady);
    return isReady
        ? Optional.of(Duration.between(operator.started(), Instant.now()))
        : Optional.empty();
  }

  private boolean isReady() {
    operator.requireRunning();
    return cluster.isReady(nodes);
  }

  private Start start(Optional<Duration> ready, Duration cpu) {
    var all = calls.all();
    var marks = StartCalls.of(all);
    var begin = operator.started();
    return new Start(
        marks.daemonSets().size(),
        marks.applied(begin),
        marks.allLabelled(begin),
        ready,
        calls.between(begin, marks.end(begin)),
        all,
        cpu);
  }

  private Minute steadyMinute() {
    say("a steady minute");
    var before = operator.figures().cpu();
    var asked =
        new SteadyPhase(cluster, calls, BenchCluster.gpuNodes(nodes)).run(Duration.ofMinutes(1));
    return new Minute(asked, operator.figures().cpu().minus(before));
  }

  private Answers answers() {
    say("foreign label flips");
    var foreign = callsOf(trials()::foreignLabelFlips);
    say("flips of the operator's own labels");
    var own = callsOf(trials()::ownLabelFlips);
    say("node joins");
    var joins = callsOf(trials()::joins);
    trials().leave();
    awaitQuiet();
    say("policy edits");
    var edits = callsOf(trials()::policyEdits);
    return new Answers(foreign, own, joins, edits);
  }

  private <T> Called<T> callsOf(Supplier<T> phase) {
    var begin = Instant.now();
    var result = phase.get();
    awaitQuiet();
    return new Called<>(result, calls.since(begin));
  }

  private Trials trials() {
    return new Trials(cluster.client(), setting.trials());
  }

  private void awaitQuiet() {
    if (!calls.awaitQuiet(QUIET, QUIET_LIMIT)) {
      say("the operator is still at work after " + QUIET_LIMIT.toSeconds() + " s");
    }
  }

  private void say(String what) {
    progress.accept(nodes + " nodes: " + what);
  }
}
