package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.MetricsSettings;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.gpu.BoardText;
import dev.pitcrew.hardware.gpu.GpuSamples.Seen;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;

/// All that a scrape is written from.
///
/// @param samples what is known of a GPU at this moment, by its index
/// @param texts what boards say in words, by the index of their GPU
/// @param peers nvmlGpuP2PStatus_t of each ordered pair of GPUs
/// @param driver why there are no GPUs at all; empty where the driver answers
/// @param problems what else does not work, by what it is about
record View(
    MetricsSettings settings,
    SamplePlan plan,
    List<Gpu> gpus,
    String driverVersion,
    IntFunction<Seen> samples,
    Rates rates,
    Logs logs,
    Map<Integer, Map<BoardText, String>> texts,
    Map<Pair, Integer> peers,
    Holders holders,
    PodMarks marks,
    Jobs jobs,
    PodShares shares,
    Cpus cpus,
    Optional<String> driver,
    Map<String, String> problems) {

  /// No GPU has been read.
  static final IntFunction<Seen> UNSEEN = _ -> new Seen(Optional.empty(), Optional.empty());

  /// From one GPU to the other, by index.
  record Pair(int one, int other) {}

  /// What is counted over a while.
  record Logs(XidLog xids, ClockEvents clocks, HealthWatches health, UseLog use) {
    static Logs of(MetricsSettings settings) {
      return new Logs(
          new XidLog(),
          new ClockEvents(settings.clockWindow(), settings.interval()),
          new HealthWatches(),
          new UseLog());
    }
  }

  View with(Map<String, String> found) {
    return new View(
        settings,
        plan,
        gpus,
        driverVersion,
        samples,
        rates,
        logs,
        texts,
        peers,
        holders,
        marks,
        jobs,
        shares,
        cpus,
        driver,
        new TreeMap<>(found));
  }

  /// With what the node's kernel reports.
  View with(PodShares ofPods, Cpus ofNode) {
    return new View(
        settings,
        plan,
        gpus,
        driverVersion,
        samples,
        rates,
        logs,
        texts,
        peers,
        holders,
        marks,
        jobs,
        ofPods,
        ofNode,
        driver,
        problems);
  }

  List<Part> parts() {
    return settings.devices().parts(gpus);
  }

  /// The numbers of a part, in the order of the plan's sources; empty where there are none that are
  /// still true.
  Optional<double[]> numbers(Part part) {
    return samples
        .apply(part.gpu().index())
        .last()
        .filter(sample -> age(sample.takenNanos()).compareTo(settings.staleAfter()) < 0)
        .flatMap(sample ->
            part.instance().isEmpty()
                ? Optional.of(sample.whole())
                : Optional.ofNullable(sample.instances().get(part.instanceId())));
  }

  static Duration age(long takenNanos) {
    return Duration.ofNanos(System.nanoTime() - takenNanos);
  }
}
