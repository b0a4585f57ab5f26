package dev.pitcrew.agent.metrics;

import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.Source;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What DCGM's passive health checks say of a GPU, by its rules and in its words. Two of them are
/// not there: links that are down, and pages retired within a week.
final class HealthWatches {
  private static final int WARN = 10;
  private static final int FAIL = 20;

  /// Over which counters are seen to grow.
  private static final Duration WINDOW = Duration.ofMinutes(1);

  private static final Duration PACE = Duration.ofSeconds(1);
  private static final Source REPLAYS = new Source.Call(Gauge.PCIE_REPLAYS);

  /// The parts of a GPU that are watched, by their bits, and all of it.
  enum Watch {
    PCIE,
    NVLINK,
    PMU,
    MCU,
    MEM,
    SM,
    INFOROM,
    THERMAL,
    POWER,
    DRIVER,
    ALL
  }

  /// @param value 0 where all is well, 10 for a warning, 20 for a failure
  /// @param code of dcgm_errors.h
  record Incident(int value, String code) {
    static final Incident NONE = new Incident(0, "DCGM_FR_OK");
  }

  private enum Measure {
    /// The sum of the readings, from some number on.
    FROM,
    /// One reading, of just that number.
    IS,
    /// By how much the sum grew within the window.
    GROWTH
  }

  private record Rule(
      List<Source> sources, Measure measure, double number, Watch watch, Incident incident) {}

  private record XidRule(List<Long> xids, Watch watch, Incident incident) {}

  private static final List<Rule> RULES =
      List.of(
          rule(Measure.FROM, 1, Watch.MEM, FAIL, "VOLATILE_DBE_DETECTED", field(4)),
          rule(Measure.FROM, 1, Watch.MEM, FAIL, "ROW_REMAP_FAILURE", field(145)),
          rule(Measure.FROM, 63, Watch.MEM, FAIL, "RETIRED_PAGES_LIMIT", field(29), field(30)),
          rule(Measure.FROM, 1, Watch.MEM, WARN, "PENDING_PAGE_RETIREMENTS", field(31)),
          rule(Measure.FROM, 512, Watch.MEM, WARN, "UNCORRECTABLE_ROW_REMAP", field(143)),
          rule(Measure.GROWTH, 1, Watch.THERMAL, WARN, "CLOCKS_EVENT_THERMAL", field(75)),
          rule(Measure.GROWTH, 1, Watch.POWER, WARN, "CLOCKS_EVENT_POWER", field(74)),
          rule(Measure.GROWTH, 9, Watch.PCIE, WARN, "PCI_REPLAY_RATE", REPLAYS),
          rule(
              Measure.GROWTH, 1, Watch.NVLINK, FAIL, "NVLINK_ERROR_CRITICAL", field(52), field(59)),
          rule(
              Measure.GROWTH,
              100.0 * WINDOW.toSeconds(),
              Watch.NVLINK,
              FAIL,
              "NVLINK_CRC_ERROR_THRESHOLD",
              field(38),
              field(45)),
          rule(
              Measure.GROWTH,
              1,
              Watch.NVLINK,
              WARN,
              "NVLINK_ERROR_THRESHOLD",
              field(38),
              field(45)),
          rule(Measure.IS, 1, Watch.DRIVER, FAIL, "GPU_RECOVERY_RESET", field(230)),
          rule(Measure.IS, 2, Watch.DRIVER, FAIL, "GPU_RECOVERY_REBOOT", field(230)),
          rule(Measure.IS, 3, Watch.DRIVER, WARN, "GPU_RECOVERY_DRAIN_P2P", field(230)),
          rule(Measure.IS, 4, Watch.DRIVER, FAIL, "GPU_RECOVERY_DRAIN_RESET", field(230)));

  private static final List<XidRule> XIDS =
      List.of(
          new XidRule(List.of(64L), Watch.MEM, incident(FAIL, "ROW_REMAP_FAILURE")),
          new XidRule(List.of(63L), Watch.MEM, incident(WARN, "PENDING_PAGE_RETIREMENTS")),
          new XidRule(List.of(31L, 32L, 43L), Watch.MEM, incident(WARN, "XID_ERROR")),
          new XidRule(List.of(42L), Watch.PCIE, incident(WARN, "PCI_REPLAY_RATE")),
          new XidRule(List.of(38L, 39L), Watch.PCIE, incident(WARN, "XID_ERROR")),
          new XidRule(List.of(79L), Watch.ALL, incident(FAIL, "FALLEN_OFF_BUS")),
          new XidRule(List.of(95L), Watch.ALL, incident(FAIL, "UNCONTAINED_ERROR")),
          new XidRule(List.of(48L, 74L, 119L, 120L, 140L), Watch.ALL, incident(FAIL, "XID_ERROR")),
          new XidRule(List.of(94L), Watch.ALL, incident(WARN, "XID_ERROR")));

  /// What the rules need of each sample.
  static final List<Source> SOURCES =
      RULES.stream().flatMap(rule -> rule.sources().stream()).distinct().toList();

  private final Map<Integer, ArrayDeque<Reading>> gpus = new HashMap<>();

  /// @param values of [#SOURCES], in their order
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Reading(long nanos, double[] values) {}

  private static Rule rule(
      Measure measure, double number, Watch watch, int result, String code, Source... sources) {
    return new Rule(List.of(sources), measure, number, watch, incident(result, code));
  }

  private static Incident incident(int result, String code) {
    return new Incident(result, "DCGM_FR_" + code);
  }

  private static Source field(int id) {
    return new Source.FieldValue(id, 0);
  }

  /// Takes note of a sample. One a second is kept, and the newest.
  ///
  /// @param values of [#SOURCES], in their order
  synchronized void add(int gpu, long takenNanos, double[] values) {
    var late = gpus.computeIfAbsent(gpu, _ -> new ArrayDeque<>());
    if (late.size() > 1) {
      Reading last = late.removeLast();
      if (last.nanos() - late.getLast().nanos() >= PACE.toNanos()) {
        late.addLast(last);
      }
    }
    late.addLast(new Reading(takenNanos, values));
    while (takenNanos - late.getFirst().nanos() > WINDOW.toNanos()) {
      late.removeFirst();
    }
  }

  /// All watches of a GPU; empty before its first sample.
  ///
  /// @param xids that came of late
  synchronized Map<Watch, Incident> of(int gpu, Map<Long, Integer> xids) {
    var late = gpus.get(gpu);
    var found = new EnumMap<Watch, Incident>(Watch.class);
    if (late == null) {
      return found;
    }
    for (Watch watch : Watch.values()) {
      found.put(watch, Incident.NONE);
    }
    RULES.stream()
        .filter(rule -> applies(rule, late.getFirst().values(), late.getLast().values()))
        .forEach(rule -> worst(found, rule.watch(), rule.incident()));
    XIDS.stream()
        .filter(rule -> rule.xids().stream().anyMatch(xids::containsKey))
        .forEach(rule -> worst(found, rule.watch(), rule.incident()));
    return found;
  }

  private static void worst(Map<Watch, Incident> found, Watch watch, Incident incident) {
    found.merge(watch, incident, (one, other) -> one.value() >= other.value() ? one : other);
  }

  private static boolean applies(Rule rule, double[] first, double[] last) {
    Optional<Double> now = sum(rule, last);
    return switch (rule.measure()) {
      case FROM -> now.filter(it -> it >= rule.number()).isPresent();
      case IS -> now.filter(it -> it == rule.number()).isPresent();
      case GROWTH ->
          sum(rule, first)
              .flatMap(before -> now.filter(it -> it - before >= rule.number()))
              .isPresent();
    };
  }

  /// Empty where NVML reports none of them.
  private static Optional<Double> sum(Rule rule, double[] values) {
    return rule.sources().stream()
        .map(source -> values[SOURCES.indexOf(source)])
        .filter(value -> !Double.isNaN(value))
        .reduce(Double::sum);
  }
}
