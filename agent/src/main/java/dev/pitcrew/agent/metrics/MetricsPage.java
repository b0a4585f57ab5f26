package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.Rows.Row;
import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Field;
import dev.pitcrew.agent.metrics.counters.Origin;
import dev.pitcrew.agent.metrics.counters.Origin.Computation;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.device.inventory.Gpu;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

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
  private final List<Written> rows;
  private final List<Written> gpus;
  private final List<Rows.LinkRow> links;
  private boolean isBegun;

  /// A row with the numbers that it has now.
  private record Written(Row row, Optional<double[]> numbers) {}

  private MetricsPage(Rows rows, Exposition.Form form, OutputStream to) {
    view = rows.view();
    page = new Exposition(form, to);
    this.rows = written(rows.all());
    gpus = written(rows.gpus());
    links = rows.links();
  }

  private List<Written> written(List<Row> of) {
    return of.stream().map(row -> new Written(row, view.numbers(row.part()))).toList();
  }

  static void write(Rows rows, Exposition.Form form, OutputStream to) throws IOException {
    try {
      var page = new MetricsPage(rows, form, to);
      page.view.plan().series().forEach(page::write);
      PodShares.write(page.page, page.view);
      page.view.logs().use().write(page.page, page.view);
      OwnMetrics.write(page.page, page.view);
      page.page.end();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void write(Counter counter) {
    isBegun = false;
    counter.field().origin().ifPresent(origin -> write(counter, origin));
  }

  private void write(Counter counter, Origin origin) {
    switch (origin) {
      case Origin.PerLink(var ofLinks) -> writeLinks(counter, ofLinks);
      case Origin.Cpu(var what) ->
          view.cpus().each(what, (labels, value) -> samples(counter, labels, value));
      default -> rowsOf(origin).forEach(it -> write(counter, origin, it.row(), it.numbers()));
    }
  }

  private void writeLinks(Counter counter, List<Origin> ofLinks) {
    for (Rows.LinkRow row : links) {
      Optional<double[]> numbers = view.numbers(row.gpu());
      samples(counter, row.labels(), value(ofLinks.get(row.link()), row.gpu(), numbers));
    }
  }

  private List<Written> rowsOf(Origin origin) {
    return origin.equals(new Origin.Computed(Computation.GPU_HEALTH_STATUS)) ? gpus : rows;
  }

  private void write(Counter counter, Origin origin, Row row, Optional<double[]> numbers) {
    Part part = row.part();
    switch (origin) {
      case Origin.Reading _, Origin.Rate _ ->
          samples(counter, row.labels(), value(origin, part, numbers));
      case Origin.LastXid() -> lastXid(counter, part, row);
      case Origin.Computed(var what) -> computed(counter, what, row, numbers.isPresent());
      case Origin.PerLink _, Origin.Text _ -> {}
      case Origin.Cpu _, Origin.CpuVendor(), Origin.CpuModel() -> {}
    }
  }

  /// Not a number where there are no samples that are still true.
  private double value(Origin origin, Part part, Optional<double[]> numbers) {
    return switch (origin) {
      case Origin.Reading number ->
          numbers
              .map(it -> it[view.plan().column(number.source())])
              .filter(it -> it <= number.limit())
              .map(it -> it * number.factor())
              .orElse(Double.NaN);
      case Origin.Rate rate ->
          numbers.map(_ -> view.rates().of(part.gpu().index(), rate)).orElse(Double.NaN);
      default -> Double.NaN;
    };
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

  private void computed(Counter counter, Computation what, Row row, boolean hasNumbers) {
    Part part = row.part();
    switch (what) {
      case XID_ERRORS_COUNT -> xidCounts(counter, part, row);
      case CLOCK_EVENTS_COUNT -> {
        if (hasNumbers) {
          clockEvents(counter, part, row);
        }
      }
      case P2P_STATUS -> peers(counter, part, row);
      case GPU_HEALTH_STATUS -> {
        if (hasNumbers) {
          health(counter, part, row);
        }
      }
    }
  }

  private void health(Counter counter, Part part, Row row) {
    var xids = view.logs().xids().counts(part.gpu().uuid(), -1, view.settings().xidWindow());
    view.logs()
        .health()
        .of(part.gpu().index(), xids)
        .forEach((watch, incident) -> {
          var more = Map.of("health_watch", watch.name(), "health_error_code", incident.code());
          samples(counter, row.series().labels(more, Map.of()), incident.value());
        });
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
  private void samples(Counter counter, List<byte[]> labels, double value) {
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
