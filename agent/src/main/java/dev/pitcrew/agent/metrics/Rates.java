package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Origin;
import dev.pitcrew.hardware.nvml.SampleReader.Sample;
import dev.pitcrew.hardware.nvml.Source;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// How fast sums grow from one sample of a GPU to the next.
final class Rates {
  private static final double NANOS = 1e9;

  private final SamplePlan plan;
  private final List<Origin.Rate> wanted;
  private final Map<Integer, Last> gpus = new ConcurrentHashMap<>();

  private record Last(Sample sample, Map<Origin.Rate, Double> rates) {}

  Rates(SamplePlan plan) {
    this.plan = plan;
    wanted = plan.rates();
  }

  /// Takes note of the newest sample of a GPU.
  void add(int gpu, Sample sample) {
    gpus.compute(gpu, (_, last) -> last == null ? first(sample) : next(last, sample));
  }

  private static Last first(Sample sample) {
    return new Last(sample, Map.of());
  }

  private Last next(Last last, Sample sample) {
    long nanos = sample.takenNanos() - last.sample().takenNanos();
    if (nanos <= 0) {
      return last;
    }
    var rates = new HashMap<Origin.Rate, Double>();
    for (Origin.Rate rate : wanted) {
      double growth = sum(rate, sample) - sum(rate, last.sample());
      // A counter that decreases was reset.
      rates.put(rate, growth < 0 ? Double.NaN : growth * NANOS / nanos * rate.factor());
    }
    return new Last(sample, rates);
  }

  private double sum(Origin.Rate rate, Sample sample) {
    double sum = 0;
    for (Source source : rate.sources()) {
      sum += sample.whole()[plan.column(source)];
    }
    return sum;
  }

  /// Not a number before the second sample, and where NVML has none.
  double of(int gpu, Origin.Rate rate) {
    return Optional.ofNullable(gpus.get(gpu))
        .map(last -> last.rates().getOrDefault(rate, Double.NaN))
        .orElse(Double.NaN);
  }
}
