package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import dev.pitcrew.agent.metrics.counters.Origin;
import dev.pitcrew.agent.metrics.counters.Origin.Computation;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.gpu.BoardText;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/// Writes one scrape.
final class MetricsPage {
  private static final String WINDOW = "window_size_in_ms";

  /// nvmlGpuP2PStatus_t
  private static final List<String> PEER_WORDS =
      List.of(
          "OK",
          "ChipsetNotSupported",
          "GPUNotSupported",
          "TopologyNotSupported",
          "DisabledByRegKey",
          "NotSupported",
          "Unknown");

  private final View view;
  private final Exposition page;
  private final Map<Part, Row> rows = new LinkedHashMap<>();
  private boolean isBegun;

  /// What is written of one part.
  ///
  /// @param labels of all metrics but those that add some
  private record Row(Series series, List<String> labels, Optional<double[]> numbers) {}

  private MetricsPage(View view, Exposition.Form form, int expected) {
    this.view = view;
    page = new Exposition(form, expected);
    for (Part part : view.parts()) {
      var series =
          Series.of(
              part,
              texts(part.gpu()),
              view.holders().of(part),
              view.jobs().of(part),
              view.settings());
      rows.put(part, new Row(series, series.labels(), view.numbers(part)));
    }
  }

  /// @param expected how long it will be, about
  static byte[] of(View view, Exposition.Form form, int expected) {
    var page = new MetricsPage(view, form, expected);
    view.plan().series().forEach(page::write);
    OwnMetrics.write(page.page, view);
    return page.page.bytes();
  }

  private Map<String, String> texts(Gpu gpu) {
    var texts = new TreeMap<String, String>();
    for (Counter label : view.plan().labels()) {
      if (label.field().origin().orElse(null) instanceof Origin.Text(var name)) {
        text(name, gpu).ifPresent(value -> texts.put(label.name(), value));
      }
    }
    return texts;
  }

  private Optional<String> text(String name, Gpu gpu) {
    return switch (name) {
      case "DRIVER_VERSION" -> Optional.of(view.driverVersion()).filter(it -> !it.isEmpty());
      case "NAME" -> Optional.of(gpu.board().name());
      case "UUID" -> Optional.of(gpu.uuid());
      case "PCI_BUS_ID" -> Optional.of(gpu.pci().address());
      default ->
          Optional.ofNullable(
              view.texts().getOrDefault(gpu.index(), Map.of()).get(BoardText.valueOf(name)));
    };
  }

  private void write(Counter counter) {
    isBegun = false;
    rows.forEach(
        (part, row) -> counter.field().origin().ifPresent(it -> write(counter, it, part, row)));
  }

  private void write(Counter counter, Origin origin, Part part, Row row) {
    switch (origin) {
      case Origin.Reading number -> {
        double value = row.numbers().map(it -> value(number, it)).orElse(Double.NaN);
        samples(counter, row.labels(), value);
      }
      case Origin.Rate rate -> {
        double value =
            row.numbers().map(_ -> view.rates().of(part.gpu().index(), rate)).orElse(Double.NaN);
        samples(counter, row.labels(), value);
      }
      case Origin.LastXid() -> lastXid(counter, part, row);
      case Origin.Computed(var what) -> computed(counter, what, part, row);
      case Origin.Text _ -> {}
    }
  }

  private double value(Origin.Reading number, double[] numbers) {
    double value = numbers[view.plan().column(number.source())];
    return value > number.limit() ? Double.NaN : value * number.factor();
  }

  private void lastXid(Counter counter, Part part, Row row) {
    OptionalLong xid = view.logs().xids().last(part.gpu().uuid(), part.instanceId());
    if (xid.isPresent()) {
      var attributes =
          Map.of(
              "err_code", String.valueOf(xid.getAsLong()),
              "err_msg", XidTexts.of(xid.getAsLong()));
      samples(counter, row.series().labels(Map.of(), attributes), (double) xid.getAsLong());
    }
  }

  private void computed(Counter counter, Computation what, Part part, Row row) {
    switch (what) {
      case XID_ERRORS_COUNT -> xidCounts(counter, part, row);
      case CLOCK_EVENTS_COUNT -> clockEvents(counter, part, row);
      case P2P_STATUS -> peers(counter, part, row);
      case GPU_HEALTH_STATUS -> {}
    }
  }

  private void xidCounts(Counter counter, Part part, Row row) {
    Duration window = view.settings().xidWindow();
    Map<Long, Integer> counts =
        view.logs().xids().counts(part.gpu().uuid(), part.instanceId(), window);
    String millis = String.valueOf(window.toMillis());
    if (counts.isEmpty()) {
      samples(counter, row.series().labels(Map.of(WINDOW, millis), Map.of()), 0);
    }
    counts.forEach((xid, count) ->
        samples(
            counter,
            row.series().labels(Map.of(WINDOW, millis, "xid", String.valueOf(xid)), Map.of()),
            count));
  }

  private void clockEvents(Counter counter, Part part, Row row) {
    int gpu = part.gpu().index();
    if (row.numbers().isEmpty()) {
      return;
    }
    String millis = String.valueOf(view.settings().clockWindow().toMillis());
    for (int bit = 0; bit < ClockEvents.NAMES.size(); bit++) {
      int count = view.logs().clocks().count(gpu, bit);
      if (count > 0) {
        var more = Map.of(WINDOW, millis, "clock_event", ClockEvents.NAMES.get(bit));
        samples(counter, row.series().labels(more, Map.of()), count);
      }
    }
  }

  private void peers(Counter counter, Part part, Row row) {
    for (Gpu peer : view.gpus()) {
      Integer status = view.peers().get(new View.Pair(part.gpu().index(), peer.index()));
      if (status != null) {
        String word = PEER_WORDS.get(Math.clamp(status, 0, PEER_WORDS.size() - 1));
        var more = Map.of("peer_gpu", String.valueOf(peer.index()), "link_status", word);
        samples(counter, row.series().labels(more, Map.of()), status);
      }
    }
  }

  /// What has no number has no sample, and a metric without samples is not there at all.
  private void samples(Counter counter, List<String> labels, double value) {
    if (Double.isNaN(value)) {
      return;
    }
    if (!isBegun) {
      page.metric(counter.name(), counter.type(), counter.help());
      isBegun = true;
    }
    Field.Form form = counter.field().form();
    labels.forEach(text -> page.sample(text, value, form));
  }
}
