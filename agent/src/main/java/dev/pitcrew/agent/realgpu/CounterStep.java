package dev.pitcrew.agent.realgpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Counters beside what `nvidia-smi -q -x` says. The two read at different moments, so that nothing
/// is judged here.
record CounterStep(Programs programs, Path driverRoot) {
  private static final String NAME = "counters";
  private static final String TITLE = "Counters beside nvidia-smi -q -x";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /// @param paths in the XML: that of current drivers, then those of older ones
  private record Pair(String counter, List<String> paths) {}

  private static final List<Pair> PAIRS =
      List.of(
          new Pair("DCGM_FI_DEV_GPU_TEMP", List.of("temperature/gpu_temp")),
          new Pair("DCGM_FI_DEV_MEMORY_TEMP", List.of("temperature/memory_temp")),
          new Pair(
              "DCGM_FI_DEV_POWER_USAGE",
              List.of(
                  "gpu_power_readings/average_power_draw",
                  "gpu_power_readings/power_draw",
                  "power_readings/power_draw")),
          new Pair("DCGM_FI_DEV_SM_CLOCK", List.of("clocks/sm_clock")),
          new Pair("DCGM_FI_DEV_MEM_CLOCK", List.of("clocks/mem_clock")),
          new Pair("DCGM_FI_DEV_FB_TOTAL", List.of("fb_memory_usage/total")),
          new Pair("DCGM_FI_DEV_FB_RESERVED", List.of("fb_memory_usage/reserved")),
          new Pair("DCGM_FI_DEV_FB_USED", List.of("fb_memory_usage/used")),
          new Pair("DCGM_FI_DEV_FB_FREE", List.of("fb_memory_usage/free")),
          new Pair("DCGM_FI_DEV_GPU_UTIL", List.of("utilization/gpu_util")),
          new Pair("DCGM_FI_DEV_MEM_COPY_UTIL", List.of("utilization/memory_util")),
          new Pair("DCGM_FI_DEV_ENC_UTIL", List.of("utilization/encoder_util")),
          new Pair("DCGM_FI_DEV_DEC_UTIL", List.of("utilization/decoder_util")),
          new Pair("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", List.of("pci/replay_counter")),
          new Pair(
              "DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", List.of("remapped_rows/remapped_row_corr")),
          new Pair(
              "DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", List.of("remapped_rows/remapped_row_unc")),
          new Pair("DCGM_FI_DEV_ROW_REMAP_FAILURE", List.of("remapped_rows/remapped_row_failure")));

  Section run(MetricsPage page) throws IOException, InterruptedException {
    var program = program();
    if (program.isEmpty()) {
      return compare(
          page, new SmiReadings(List.of()), "there is no nvidia-smi below " + driverRoot);
    }
    var ended = programs.run(LIMIT, List.of(program.get().toString(), "-q", "-x"));
    var readings = SmiReadings.of(ended.status() == 0 ? ended.output() : "");
    var failure =
        readings.gpus().isEmpty()
            ? "nvidia-smi -q -x ended with exit code %d and lists no GPU: %s"
                .formatted(ended.status(), ended.lastLine())
            : "";
    return compare(page, readings, failure);
  }

  private Optional<Path> program() {
    return Stream.of("usr/bin/nvidia-smi", "bin/nvidia-smi", "opt/bin/nvidia-smi")
        .map(driverRoot::resolve)
        .filter(Files::isExecutable)
        .findFirst();
  }

  static Section compare(MetricsPage page, SmiReadings readings, String failure) {
    var lines = new ArrayList<String>();
    var facts = new ArrayList<Map<String, Object>>();
    for (var pair : PAIRS) {
      for (var value : page.of(pair.counter(), Map.of()).entrySet()) {
        var other = reading(readings, value.getKey(), pair.paths());
        lines.add(
            "GPU %d %-40s %14s   %s"
                .formatted(value.getKey(), pair.counter(), value.getValue(), other));
        facts.add(
            Map.of(
                "gpu", value.getKey(),
                "counter", pair.counter(),
                "value", value.getValue(),
                "nvidiaSmi", other));
      }
    }
    return new Section(NAME, TITLE, failure, lines, facts);
  }

  private static String reading(SmiReadings readings, int gpu, List<String> paths) {
    if (gpu >= readings.gpus().size()) {
      return "-";
    }
    var all = readings.gpus().get(gpu);
    return paths.stream()
        .flatMap(path -> Optional.ofNullable(all.get(path)).stream())
        .findFirst()
        .orElse("-");
  }
}
