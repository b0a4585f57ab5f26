package dev.pitcrew.hardware.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.hardware.nvml.Gauge;
import dev.pitcrew.hardware.nvml.SampleReader.Sample;
import dev.pitcrew.hardware.nvml.SampleReader.Target;
import dev.pitcrew.hardware.nvml.Source;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpuSamplesTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /// Without a fan, and from Blackwell on or up to Kepler only.
  private static final Set<Gauge> NOT_OF_HOPPER =
      EnumSet.of(
          Gauge.FAN_SPEED,
          Gauge.AUTO_BOOST,
          Gauge.PLATFORM_SLOT,
          Gauge.PLATFORM_TRAY,
          Gauge.PLATFORM_HOST,
          Gauge.PLATFORM_PEER_TYPE,
          Gauge.PLATFORM_MODULE);

  private static final Target WHOLE = new Target(0, Map.of(), false);
  private static final Source TEMPERATURE = new Source.Call(Gauge.TEMPERATURE);
  private static final Source FREE = new Source.Call(Gauge.MEMORY_FREE);
  private static final Source REMAPPED = new Source.FieldValue(143, 0);
  private static final Source RETIRED = new Source.FieldValue(30, 0);
  private static final Source TENSOR = new Source.Profiling(5);

  @TempDir Path folder;

  @Test
  void everyGaugeIsReadOrNotANumber() {
    var node = node("h100");
    var gauges = List.of(Gauge.values());
    var sources = gauges.stream().<Source>map(Source.Call::new).toList();
    try (var gpus = OpenedGpus.of(node);
        var samples = gpus.samples(sources)) {
      var row = read(samples, WHOLE).whole();

      for (Gauge gauge : gauges) {
        boolean isMissing = Double.isNaN(row[gauges.indexOf(gauge)]);
        assertThat(isMissing).as(gauge.name()).isEqualTo(NOT_OF_HOPPER.contains(gauge));
      }
      assertThat(row[gauges.indexOf(Gauge.MEMORY_TOTAL)]).isEqualTo(81559.0 * (1 << 20));
      assertThat(row[gauges.indexOf(Gauge.POWER_LIMIT_MIN)]).isEqualTo(200_000);
      assertThat(row[gauges.indexOf(Gauge.POWER_LIMIT_MAX)]).isEqualTo(700_000);
    }
  }

  @Test
  void aSampleHasWhatTheGpuShowsNow() {
    var node = node("h100");
    try (var gpus = OpenedGpus.of(node);
        var samples = gpus.samples(List.of(REMAPPED, TEMPERATURE, TENSOR, RETIRED))) {
      var first = read(samples, WHOLE).whole();
      assertThat(first[0]).isZero();
      // Two samples are needed for it.
      assertThat(first[2]).isNaN();
      // A board that remaps rows retires no pages.
      assertThat(first[3]).isNaN();

      node.set(0, "remapped_uncorrectable_rows", "7");
      node.set(0, "temperature_c", "88");
      node.set(0, "tensor_percent", "41");

      assertThat(read(samples, WHOLE).whole()).startsWith(7, 88, 41);
    }
  }

  @Test
  void anInstanceHasMemoryOfItsOwnAndTheTemperatureOfItsGpu() {
    var node = node("h100");
    node.divide("mode 0 1 1\ngi 0 1 2 0 4\nci 0 1 0 2 0 3\n");
    try (var gpus = OpenedGpus.of(node);
        var samples = gpus.samples(List.of(FREE, TEMPERATURE))) {
      node.set(0, "temperature_c", "61");
      var sample = read(samples, new Target(0, Map.of(1, 0, 5, 1), false));

      assertThat(sample.instances()).containsOnlyKeys(1, 5);
      var instance = sample.instances().getOrDefault(1, new double[2]);
      assertThat(instance[0]).isBetween(1.0, sample.whole()[0] - 1);
      assertThat(instance[1]).isEqualTo(61);
      // One that is not there any more.
      assertThat(sample.instances().getOrDefault(5, new double[2])[0]).isNaN();
    }
  }

  @Test
  void aGpuThatHangsKeepsItsLastSampleAndIsMarked() {
    var node = node("h100");
    try (var gpus = OpenedGpus.of(node);
        var samples = gpus.samples(List.of(TEMPERATURE))) {
      read(samples, WHOLE);
      node.hang(0);
      samples.begin(List.of(WHOLE));
      assertThat(samples.of(0).last()).isPresent();
      await().atMost(LONG).until(() -> samples.of(0).problem().isPresent());
      assertThat(samples.of(0).last()).isPresent();

      node.release(0);
      await()
          .atMost(LONG)
          .until(() -> {
            samples.begin(List.of(WHOLE));
            return samples.of(0).problem().isEmpty();
          });
    }
  }

  @Test
  void aLostGpuHasNoSampleAnyMore() {
    var node = node("h100");
    try (var gpus = OpenedGpus.of(node);
        var samples = gpus.samples(List.of(TEMPERATURE))) {
      read(samples, WHOLE);
      node.lose(0);
      samples.begin(List.of(WHOLE));
      samples.await(LONG);

      assertThat(samples.of(0).last()).isEmpty();
      assertThat(samples.of(0).problem()).hasValueSatisfying(it -> assertThat(it).contains("lost"));
    }
  }

  private static Sample read(GpuSamples samples, Target target) {
    samples.begin(List.of(target));
    samples.await(LONG);
    var seen = samples.of(target.index());
    assertThat(seen.problem()).isEmpty();
    return seen.last().orElseThrow();
  }

  private SimulatedNode node(String profile) {
    return SimulatedNode.create(folder, SimulatedNodeOptions.of(profile));
  }
}
