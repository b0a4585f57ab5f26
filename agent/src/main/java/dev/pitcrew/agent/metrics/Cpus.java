package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Origin;
import dev.pitcrew.agent.metrics.counters.Origin.CpuNumber;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/// The series of the node's processors and of their cores.
record Cpus(List<Row> cpus, List<Row> cores) {
  static final Cpus NONE = new Cpus(List.of(), List.of());

  Cpus {
    cpus = List.copyOf(cpus);
    cores = List.copyOf(cores);
  }

  /// What has series of its own.
  ///
  /// @param labels one text of them
  record Row(List<byte[]> labels, Map<CpuNumber, Double> numbers) {}

  /// Nothing where no counter is about processors.
  static Cpus of(CpuReader reader, View view) {
    if (!view.plan().isOfCpus()) {
      return NONE;
    }
    var cpus = new ArrayList<Row>();
    var cores = new ArrayList<Row>();
    for (CpuReader.Cpu cpu : reader.read()) {
      String id = String.valueOf(cpu.id());
      cpus.add(new Row(labels(reader, view, Map.of("cpu", id)), cpu.numbers()));
      cpu.cores()
          .forEach((core, numbers) -> {
            var names = new LinkedHashMap<String, String>();
            names.put("cpucore", String.valueOf(core));
            names.put("cpu", id);
            cores.add(new Row(labels(reader, view, names), numbers));
          });
    }
    return new Cpus(cpus, cores);
  }

  /// In the order in which dcgm-exporter writes them; pods have none.
  private static List<byte[]> labels(CpuReader reader, View view, Map<String, String> names) {
    var all = new LinkedHashMap<>(names);
    if (!view.settings().hostname().isEmpty()) {
      all.put(
          view.settings().isHostLabelCapital() ? "Hostname" : "hostname",
          view.settings().hostname());
    }
    var texts = new TreeMap<String, String>();
    for (Counter label : view.plan().labels()) {
      switch (label.field().origin().orElse(null)) {
        case Origin.CpuVendor() -> texts.put(label.name(), "Nvidia");
        case Origin.CpuModel() -> reader.model().ifPresent(it -> texts.put(label.name(), it));
        case null, default -> {}
      }
    }
    texts.forEach(all::putIfAbsent);
    return List.of(Exposition.labels(all));
  }

  /// Hands over each series that has a value.
  void each(CpuNumber what, BiConsumer<List<byte[]>, Double> series) {
    for (Row row : what.isOfCore() ? cores : cpus) {
      Double value = row.numbers().get(what);
      if (value != null) {
        series.accept(row.labels(), value);
      }
    }
  }
}
