package dev.pitcrew.operator.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/// The few numbers of the process that an operator of it looks at, read when scraped.
final class ProcessMetrics {
  private static final Path STATUS = Path.of("/proc/self/status");

  private ProcessMetrics() {}

  static void register(PrometheusRegistry registry) {
    GaugeWithCallback.builder()
        .name("process_resident_memory_bytes")
        .help("Resident memory of the process")
        .callback(gauge -> residentBytes(STATUS).ifPresent(gauge::call))
        .register(registry);
    CounterWithCallback.builder()
        .name("process_cpu_seconds_total")
        .help("User and system time of the process")
        .callback(counter -> cpuSeconds().ifPresent(counter::call))
        .register(registry);
    GaugeWithCallback.builder()
        .name("jvm_memory_used_bytes")
        .help("Used memory of the JVM")
        .labelNames("area")
        .callback(gauge -> gauge.call(heapBytes(), "heap"))
        .register(registry);
  }

  /// Empty where the system has no such file.
  static OptionalDouble residentBytes(Path status) {
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) * 1024)
          .findFirst();
    } catch (IOException absent) {
      return OptionalDouble.empty();
    }
  }

  private static OptionalDouble cpuSeconds() {
    return ProcessHandle.current()
        .info()
        .totalCpuDuration()
        .map(used -> OptionalDouble.of(used.toNanos() / 1e9))
        .orElseGet(OptionalDouble::empty);
  }

  private static double heapBytes() {
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
