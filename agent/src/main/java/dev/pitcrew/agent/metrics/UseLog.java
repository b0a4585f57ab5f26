package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.core.names.AgentMetrics;
import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.Source;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// For how long each part of a node is little used, and for how long each container holds it: five
/// numbers a part and one a holder, whatever time passes. A time without samples ends what was
/// observed before it, since nothing is known of it.
final class UseLog {
  /// In every plan, since NVML answers it at once.
  static final Source OF_GPU = new Source.Call(Gauge.GPU_UTILISATION);

  /// The graphics engine's share of the time (NVML_GPM_METRIC_GRAPHICS_UTIL), the only utilisation
  /// of an instance. Read where a counter needs it.
  static final Source OF_INSTANCE = new Source.Profiling(1);

  /// Of the utilisation, with the label of each. No utilisation reaches the last one: it is of the
  /// whole time that was observed.
  private static final Map<String, Double> LIMITS = limits();

  private final Map<Place, Span> spans = new HashMap<>();
  private final Map<Hold, Long> heldSince = new HashMap<>();

  private record Place(String uuid, int instance) {
    static Place of(Part part) {
      return new Place(part.gpu().uuid(), part.instanceId());
    }
  }

  private record Hold(Place place, String namespace, String pod, String uid, String container) {
    static Hold of(Part part, Holder it) {
      return new Hold(Place.of(part), it.namespace(), it.pod(), it.uid(), it.container());
    }
  }

  /// @param last when it was sampled last, by System.nanoTime
  /// @param below when each limit was last reached, or else the first sample was taken
  private record Span(long last, Map<String, Long> below) {}

  private static Map<String, Double> limits() {
    var limits = new LinkedHashMap<String, Double>();
    limits.put("0.01", 1.0);
    limits.put("0.05", 5.0);
    limits.put("0.1", 10.0);
    limits.put("0.25", 25.0);
    limits.put("+Inf", Double.POSITIVE_INFINITY);
    return limits;
  }

  /// Takes note of the newest samples and of who holds what.
  synchronized void add(View view) {
    var parts = new HashSet<Place>();
    var holds = new HashSet<Hold>();
    for (Part part : view.parts()) {
      utilisation(view, part)
          .ifPresent(percent -> {
            parts.add(Place.of(part));
            add(Place.of(part), percent, takenNanos(view, part), view.settings().staleAfter());
          });
      view.holders().all(part).forEach(it -> holds.add(Hold.of(part, it)));
    }
    spans.keySet().retainAll(parts);
    heldSince.keySet().retainAll(holds);
    holds.forEach(it -> heldSince.putIfAbsent(it, System.nanoTime()));
  }

  private void add(Place place, double percent, long taken, Duration gap) {
    Map<String, Long> before =
        Optional.ofNullable(spans.get(place))
            .filter(it -> taken - it.last() <= gap.toNanos())
            .map(Span::below)
            .orElse(Map.of());
    var below = new LinkedHashMap<String, Long>();
    LIMITS.forEach((label, limit) ->
        below.put(label, percent < limit ? before.getOrDefault(label, taken) : taken));
    spans.put(place, new Span(taken, below));
  }

  private static Optional<Double> utilisation(View view, Part part) {
    int column = view.plan().column(part.instance().isEmpty() ? OF_GPU : OF_INSTANCE);
    return column < 0
        ? Optional.empty()
        : view.numbers(part).map(it -> it[column]).filter(it -> !it.isNaN());
  }

  private static long takenNanos(View view, Part part) {
    return view.samples().apply(part.gpu().index()).last().orElseThrow().takenNanos();
  }

  synchronized void write(Exposition page, View view) {
    List<Part> parts = view.parts();
    if (parts.stream().anyMatch(it -> spans.containsKey(Place.of(it)))) {
      page.metric(
          AgentMetrics.UTILIZATION_BELOW,
          Counter.Type.GAUGE,
          "For how long each sample of the utilisation was below a ratio, up to the newest one; below +Inf: for how long it was sampled without a gap, which is the most that is known.");
      parts.forEach(it -> writeBelow(page, view, it));
    }
    // Also where it has no sample, which says that no pod holds a GPU.
    if (view.settings().pods().isOn()) {
      page.metric(
          AgentMetrics.HOLDER,
          Counter.Type.GAUGE,
          "For how long the agent has seen that the container holds the GPU or the MIG device; shared: whether it holds a share of it.");
      parts.forEach(it -> writeHolders(page, view, it));
    }
  }

  private void writeBelow(Exposition page, View view, Part part) {
    Span span = spans.get(Place.of(part));
    if (span != null && view.numbers(part).isPresent()) {
      span.below()
          .forEach((label, since) ->
              page.sample(
                  OwnMetrics.part(view, part, Map.of("below", label)),
                  seconds(span.last() - since),
                  Field.Form.WHOLE));
    }
  }

  private void writeHolders(Exposition page, View view, Part part) {
    List<Holder> holders = view.holders().all(part);
    boolean isShared = holders.size() > 1 || holders.stream().anyMatch(Holder::isShare);
    Set<Hold> written = new HashSet<>();
    for (Holder holder : holders) {
      Hold hold = Hold.of(part, holder);
      long now = System.nanoTime();
      if (written.add(hold)) {
        page.sample(
            OwnMetrics.part(
                view,
                part,
                Map.of(
                    "namespace",
                    holder.namespace(),
                    "pod",
                    holder.pod(),
                    "container",
                    holder.container(),
                    "shared",
                    String.valueOf(isShared))),
            seconds(now - heldSince.getOrDefault(hold, now)),
            Field.Form.WHOLE);
      }
    }
  }

  private static double seconds(long nanos) {
    return Duration.ofNanos(nanos).toSeconds();
  }
}
