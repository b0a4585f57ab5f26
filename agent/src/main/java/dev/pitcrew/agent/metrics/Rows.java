package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Counter;
import dev.pitcrew.agent.metrics.counters.Origin;
import dev.pitcrew.agent.metrics.counters.Origin.Computation;
import dev.pitcrew.agent.metrics.plan.Part;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.hardware.gpu.BoardText;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// A view with the labels of all its series. They are made once in a round of samples, since they
/// are most of a page and most of the work on it.
///
/// @param all of parts that have samples of their own
/// @param gpus of whole GPUs, where a counter is about them alone
/// @param links of NVLinks, where a counter is about them
record Rows(View view, List<Row> all, List<Row> gpus, List<LinkRow> links) {

  /// What is written of one part.
  ///
  /// @param labels of all metrics but those that add some
  record Row(Part part, Series series, List<byte[]> labels) {}

  /// What is written of one NVLink.
  ///
  /// @param link from 0 on, as NVML counts
  record LinkRow(Part gpu, int link, List<byte[]> labels) {}

  static Rows of(View view) {
    boolean isOfLinks = view.plan().isOfLinks();
    boolean isOfGpus = isOfLinks || view.plan().has(Computation.GPU_HEALTH_STATUS);
    List<Row> gpus =
        isOfGpus ? view.gpus().stream().map(gpu -> row(view, Part.whole(gpu))).toList() : List.of();
    return new Rows(
        view,
        view.parts().stream().map(part -> row(view, part)).toList(),
        gpus,
        isOfLinks ? gpus.stream().flatMap(Rows::links).toList() : List.of());
  }

  private static Stream<LinkRow> links(Row gpu) {
    return IntStream.range(0, Origin.PerLink.MOST)
        .mapToObj(link -> new LinkRow(gpu.part(), link, gpu.series().ofLink(link + 1).labels()));
  }

  private static Row row(View view, Part part) {
    var series =
        Series.of(
            part,
            texts(view, part.gpu()),
            view.holders().of(part),
            view.marks(),
            view.jobs().of(part),
            view.settings());
    return new Row(part, series, series.labels());
  }

  private static Map<String, String> texts(View view, Gpu gpu) {
    var texts = new TreeMap<String, String>();
    for (Counter label : view.plan().labels()) {
      if (label.field().origin().orElse(null) instanceof Origin.Text(var name)) {
        text(view, name, gpu).ifPresent(value -> texts.put(label.name(), value));
      }
    }
    return texts;
  }

  private static Optional<String> text(View view, String name, Gpu gpu) {
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
}
