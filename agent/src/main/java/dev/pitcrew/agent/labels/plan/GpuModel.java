package dev.pitcrew.agent.labels.plan;

import dev.pitcrew.device.inventory.Gpu;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// All GPUs of one product name.
///
/// @param gpus at least one, in the order of their index
record GpuModel(String name, List<Gpu> gpus) {

  /// The model that a node's labels describe. As in GPU feature discovery, a model with a GPU that
  /// is offered as a whole comes before one that is in MIG mode throughout; then, where that takes
  /// any, the model with the most GPUs counts, and of these the one with the lowest index.
  private static final Comparator<GpuModel> MOST_DESCRIPTIVE =
      Comparator.comparing(GpuModel::hasWhole)
          .thenComparingInt(model -> model.gpus.size())
          .thenComparingInt(model -> -model.gpus.getFirst().index());

  static List<GpuModel> of(List<Gpu> gpus) {
    Map<String, List<Gpu>> models =
        gpus.stream()
            .sorted(Comparator.comparingInt(Gpu::index))
            .collect(
                Collectors.groupingBy(
                    gpu -> gpu.board().name(), LinkedHashMap::new, Collectors.toList()));
    return models.entrySet().stream()
        .map(model -> new GpuModel(model.getKey(), model.getValue()))
        .toList();
  }

  static Optional<GpuModel> describing(List<GpuModel> models) {
    return models.stream().max(MOST_DESCRIPTIVE);
  }

  boolean hasWhole() {
    return gpus.stream().anyMatch(gpu -> !gpu.mig().isEnabled());
  }

  /// The GPU whose properties are shown: a whole one where there is one.
  Gpu example() {
    return gpus.stream().filter(gpu -> !gpu.mig().isEnabled()).findFirst().orElse(gpus.getFirst());
  }
}
