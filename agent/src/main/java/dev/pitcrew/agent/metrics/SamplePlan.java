package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.CounterList;
import dev.pitcrew.agent.metrics.counters.Origin;
import dev.pitcrew.agent.metrics.counters.Origin.Computation;
import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.Source;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.Stream;

/// What NVML is asked for repeatedly, so that all counters of a list can be reported.
///
/// @param sources each once, in the order of a sample's columns
/// @param columns where each of them stands
record SamplePlan(CounterList list, List<Source> sources, Map<Source, Integer> columns) {
  /// The mask of why clocks are held back, for what counts them.
  static final Source CLOCK_EVENTS = new Source.Call(Gauge.CLOCK_EVENT_REASONS);

  static SamplePlan of(CounterList list) {
    var sources = new LinkedHashSet<Source>();
    for (Counter counter : list.counters()) {
      counter.field().origin().ifPresent(origin -> add(origin, sources));
    }
    sources.add(UseLog.OF_GPU);
    var columns = new HashMap<Source, Integer>();
    sources.forEach(source -> columns.put(source, columns.size()));
    return new SamplePlan(list, List.copyOf(sources), Map.copyOf(columns));
  }

  private static void add(Origin origin, SequencedSet<Source> sources) {
    switch (origin) {
      case Origin.Reading(var source, _, _) -> sources.add(source);
      case Origin.Rate(var summands, _) -> sources.addAll(summands);
      case Origin.Computed(var what) -> {
        if (what == Computation.CLOCK_EVENTS_COUNT) {
          sources.add(CLOCK_EVENTS);
        }
        if (what == Computation.GPU_HEALTH_STATUS) {
          sources.addAll(HealthWatches.SOURCES);
        }
      }
      case Origin.PerLink(var links) -> links.forEach(link -> add(link, sources));
      case Origin.Text _,
          Origin.LastXid(),
          Origin.Cpu _,
          Origin.CpuVendor(),
          Origin.CpuModel() -> {}
    }
  }

  /// What is reported as the growth from sample to sample.
  List<Origin.Rate> rates() {
    return series().stream()
        .flatMap(counter -> counter.field().origin().stream())
        .flatMap(origin ->
            origin instanceof Origin.PerLink(var links) ? links.stream() : Stream.of(origin))
        .filter(Origin.Rate.class::isInstance)
        .map(Origin.Rate.class::cast)
        .distinct()
        .toList();
  }

  /// Whether processors have series.
  boolean isOfCpus() {
    return series().stream().anyMatch(it -> it.field().origin().orElse(null) instanceof Origin.Cpu);
  }

  /// Whether links have series of their own.
  boolean isOfLinks() {
    return series().stream()
        .anyMatch(it -> it.field().origin().orElse(null) instanceof Origin.PerLink);
  }

  /// Negative for what is not asked for.
  int column(Source source) {
    return columns.getOrDefault(source, -1);
  }

  boolean has(Computation what) {
    return list.counters().stream()
        .anyMatch(it -> it.field().origin().filter(new Origin.Computed(what)::equals).isPresent());
  }

  /// The series that have no value where NVML does not support these sources.
  List<String> without(Set<Source> unsupported) {
    return unsupported.isEmpty()
        ? List.of()
        : series().stream()
            .filter(it -> it.field().origin().filter(of -> needs(of, unsupported)).isPresent())
            .map(Counter::name)
            .toList();
  }

  private static boolean needs(Origin origin, Set<Source> unsupported) {
    return switch (origin) {
      case Origin.Reading(var source, _, _) -> unsupported.contains(source);
      case Origin.Rate(var summands, _) -> unsupported.containsAll(summands);
      case Origin.PerLink(var links) -> links.stream().allMatch(it -> needs(it, unsupported));
      case Origin.Computed _, Origin.Text _, Origin.LastXid() -> false;
      case Origin.Cpu _, Origin.CpuVendor(), Origin.CpuModel() -> false;
    };
  }

  /// The texts that become labels, by the name that the counters file gives them.
  List<Counter> labels() {
    return list.counters().stream().filter(Counter::isLabel).toList();
  }

  List<Counter> series() {
    var series = new ArrayList<>(list.counters());
    series.removeIf(Counter::isLabel);
    return series;
  }
}
