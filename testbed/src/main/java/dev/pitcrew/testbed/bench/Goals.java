package dev.pitcrew.testbed.bench;

import static dev.pitcrew.testbed.bench.Goal.Unit.CALLS;
import static dev.pitcrew.testbed.bench.Goal.Unit.CALLS_EACH;
import static dev.pitcrew.testbed.bench.Goal.Unit.MEBIBYTES;
import static dev.pitcrew.testbed.bench.Goal.Unit.MILLISECONDS;
import static dev.pitcrew.testbed.bench.Goal.Unit.SECONDS;

import dev.pitcrew.testbed.bench.SizeFigures.Answers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// What is measured at each size. The NVIDIA GPU Operator's figures were taken on Kubernetes 1.36
/// with simulated nodes, half of them with GPUs, on another machine.
final class Goals {
  private static final Map<Integer, String> UNKNOWN = Map.of();
  private static final Map<Integer, Double> OPEN = Map.of();

  private Goals() {}

  /// Every measure, in the order of the table.
  static List<Goal> all() {
    return Stream.of(memory(), start(), steadyMinute(), calls(), latencies())
        .flatMap(List::stream)
        .toList();
  }

  private static List<Goal> memory() {
    return List.of(
        new Goal(
            "RSS",
            MEBIBYTES,
            Map.of(1, "69 MiB", 100, "87 MiB", 1_000, "256 MiB", 5_000, "1,084 MiB"),
            Map.of(1, 110.0, 100, 115.0, 1_000, 160.0, 5_000, 256.0),
            figures -> figures.memory().rested().residentMib()),
        new Goal(
            "RssAnon",
            MEBIBYTES,
            UNKNOWN,
            OPEN,
            figures -> figures.memory().rested().anonymousMib()),
        new Goal(
            "peak RSS",
            MEBIBYTES,
            Map.of(5_000, "1,598 MiB"),
            OPEN,
            figures -> figures.memory().rested().peakMib()),
        new Goal(
            "RSS after all trials",
            MEBIBYTES,
            UNKNOWN,
            OPEN,
            figures -> figures.memory().ended().residentMib()));
  }

  private static List<Goal> start() {
    return List.of(
        new Goal(
            "start → DaemonSets applied",
            SECONDS,
            Map.of(1_000, "26 s", 5_000, "16 s"),
            everywhere(2),
            figures -> seconds(figures.start().applied())),
        new Goal(
            "start → all GPU nodes labelled",
            SECONDS,
            Map.of(1_000, "13 s", 5_000, "274 s"),
            everywhere(5),
            figures -> seconds(figures.start().labelled())),
        new Goal(
            "CPU time of the start",
            SECONDS,
            UNKNOWN,
            OPEN,
            figures -> seconds(figures.start().cpu())),
        new Goal(
            "mutating calls of the start",
            CALLS,
            Map.of(1, "273", 1_000, "1,000-1,900"),
            Map.of(1, 100.0, 1_000, 600.0),
            figures -> CallCounts.mutating(figures.start().calls())),
        new Goal(
            "reading calls of the start",
            CALLS,
            UNKNOWN,
            OPEN,
            figures -> CallCounts.reading(figures.start().calls())));
  }

  private static List<Goal> steadyMinute() {
    return List.of(
        new Goal(
            "mutating calls in a steady minute",
            CALLS,
            Map.of(1_000, "0-75"),
            everywhere(0),
            figures -> CallCounts.mutating(figures.steadyMinute().calls())),
        new Goal(
            "reading calls in a steady minute",
            CALLS,
            Map.of(1_000, "501", 5_000, "2,501"),
            everywhere(0),
            figures -> CallCounts.reading(figures.steadyMinute().calls())),
        new Goal(
            "CPU time in a steady minute",
            SECONDS,
            UNKNOWN,
            OPEN,
            figures -> seconds(figures.steadyMinute().cpu())));
  }

  private static List<Goal> calls() {
    return List.of(
        new Goal(
            "calls per node join",
            CALLS_EACH,
            Map.of(1_000, "1,324"),
            everywhere(2),
            perTrial(Answers::joins, Latencies::trials)),
        new Goal(
            "calls per flip of a foreign label",
            CALLS_EACH,
            Map.of(1_000, "394"),
            everywhere(0),
            perTrial(Answers::foreignFlips, Integer::intValue)),
        new Goal(
            "calls per flip of a label of ours",
            CALLS_EACH,
            UNKNOWN,
            everywhere(1),
            perTrial(Answers::ownFlips, Integer::intValue)),
        new Goal(
            "calls per policy edit that changes one DaemonSet",
            CALLS_EACH,
            Map.of(1_000, "789"),
            everywhere(2),
            perTrial(Answers::edits, Latencies::trials)));
  }

  private static List<Goal> latencies() {
    return List.of(
        new Goal(
            "node join → labelled, p50",
            MILLISECONDS,
            Map.of(1, "26 ms", 100, "40 ms", 1_000, "57 ms", 5_000, "1,700 ms"),
            Map.of(1, 25.0, 100, 30.0, 1_000, 40.0, 5_000, 100.0),
            figures -> millis(figures.answers().joins(), 50)),
        new Goal(
            "node join → labelled, p99",
            MILLISECONDS,
            UNKNOWN,
            Map.of(1, 150.0, 100, 150.0, 1_000, 150.0),
            figures -> millis(figures.answers().joins(), 99)),
        new Goal(
            "policy edit → DaemonSet updated, p50",
            MILLISECONDS,
            Map.of(1, "380 ms", 100, "600 ms", 1_000, "5,200 ms"),
            everywhere(100),
            figures -> millis(figures.answers().edits(), 50)),
        new Goal(
            "policy edit → DaemonSet updated, p99",
            MILLISECONDS,
            UNKNOWN,
            everywhere(500),
            figures -> millis(figures.answers().edits(), 99)));
  }

  private static Map<Integer, Double> everywhere(double limit) {
    return Map.of(1, limit, 100, limit, 1_000, limit, 5_000, limit);
  }

  private static <T> ToDoubleFunction<SizeFigures> perTrial(
      Function<Answers, Called<T>> phase, Function<T, Integer> trials) {
    return figures -> {
      var called = phase.apply(figures.answers());
      var calls = CallCounts.mutating(called.calls()) + CallCounts.reading(called.calls());
      return (double) calls / trials.apply(called.result());
    };
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1_000.0;
  }

  private static double millis(Called<Latencies> trials, int percent) {
    return trials.result().percentile(percent).toNanos() / 1_000_000.0;
  }
}
