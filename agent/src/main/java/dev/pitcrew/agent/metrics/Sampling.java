package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.counters.Origin.Computation;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.MigDevice;
import dev.pitcrew.hardware.gpu.BoardText;
import dev.pitcrew.hardware.gpu.GpuSamples;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.nvml.SampleReader.Target;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.stream.Collectors;

/// The samples of one opened driver, for one plan.
final class Sampling implements AutoCloseable {
  /// What no round waits longer for: a GPU that hangs holds up no other.
  private static final Duration TIMEOUT = Duration.ofMillis(400);

  /// How GPUs reach each other hardly ever changes.
  private static final Duration UNTIL_PEERS_ARE_ASKED_AGAIN = Duration.ofSeconds(30);

  private final Gpus gpus;
  private final SamplePlan plan;
  private final GpuSamples samples;
  private final Rates rates;
  private final Map<Integer, Map<BoardText, String>> texts = new HashMap<>();
  private Map<View.Pair, Integer> peers = Map.of();
  private long peersNanos;
  private int rounds;

  Sampling(Gpus gpus, SamplePlan plan) {
    this.gpus = gpus;
    this.plan = plan;
    samples = gpus.samples(plan.sources());
    rates = new Rates(plan);
  }

  /// Reads all GPUs once more.
  ///
  /// @param holders whose GPUs are shared
  void round(Inventory inventory, Holders holders) {
    samples.begin(
        inventory.gpus().stream().map(gpu -> target(gpu, holders.areSharing(gpu))).toList());
    samples.await(TIMEOUT);
    inventory.gpus().forEach(gpu -> note(gpu.index()));
    if (!plan.labels().isEmpty()) {
      inventory.gpus().forEach(gpu -> readTexts(gpu.index()));
    }
    if (plan.has(Computation.P2P_STATUS)
        && (peers.isEmpty() || View.age(peersNanos).compareTo(UNTIL_PEERS_ARE_ASKED_AGAIN) > 0)) {
      askPeers(inventory.gpus());
    }
    rounds++;
  }

  /// How many are behind it.
  int rounds() {
    return rounds;
  }

  private static Target target(Gpu gpu, boolean isShared) {
    return new Target(
        gpu.index(),
        gpu.mig().migDevices().stream()
            .collect(
                Collectors.toMap(
                    device -> device.place().gpuInstance(), MigDevice::index, (first, _) -> first)),
        isShared);
  }

  private void note(int gpu) {
    samples.of(gpu).last().ifPresent(sample -> rates.add(gpu, sample));
  }

  /// Why clocks are held back in the newest sample of each GPU.
  void countClockEvents(Inventory inventory, ClockEvents clocks) {
    int column = plan.column(SamplePlan.CLOCK_EVENTS);
    if (column < 0) {
      return;
    }
    for (Gpu gpu : inventory.gpus()) {
      samples
          .of(gpu.index())
          .last()
          .filter(sample -> !Double.isNaN(sample.whole()[column]))
          .ifPresent(sample ->
              clocks.add(gpu.index(), sample.takenNanos(), (long) sample.whole()[column]));
    }
  }

  /// Hands the newest sample of each GPU over to the health checks, where they are asked for.
  void watchHealth(Inventory inventory, HealthWatches health) {
    if (!plan.has(Computation.GPU_HEALTH_STATUS)) {
      return;
    }
    for (Gpu gpu : inventory.gpus()) {
      samples
          .of(gpu.index())
          .last()
          .ifPresent(sample -> {
            double[] values =
                HealthWatches.SOURCES.stream()
                    .mapToDouble(source -> sample.whole()[plan.column(source)])
                    .toArray();
            health.add(gpu.index(), sample.takenNanos(), values);
          });
    }
  }

  /// The counters that NVML does not support, by the model of the GPU.
  Map<String, SequencedSet<String>> unsupported(Inventory inventory) {
    var found = new HashMap<String, SequencedSet<String>>();
    for (Gpu gpu : inventory.gpus()) {
      samples
          .of(gpu.index())
          .last()
          .ifPresent(sample ->
              found
                  .computeIfAbsent(gpu.board().name(), _ -> new LinkedHashSet<>())
                  .addAll(plan.without(sample.unsupported())));
    }
    return found;
  }

  private void readTexts(int gpu) {
    if (!texts.containsKey(gpu) && answers(gpu)) {
      gpus.texts(gpu).toOptional().ifPresent(it -> texts.put(gpu, it));
    }
  }

  private void askPeers(List<Gpu> all) {
    var found = new HashMap<View.Pair, Integer>();
    for (Gpu one : all) {
      for (Gpu other : all) {
        if (one.index() != other.index() && answers(one.index()) && answers(other.index())) {
          gpus.nvLinkStatus(one.index(), other.index())
              .toOptional()
              .ifPresent(it -> found.put(new View.Pair(one.index(), other.index()), it));
        }
      }
    }
    peers = Map.copyOf(found);
    peersNanos = System.nanoTime();
  }

  private boolean answers(int gpu) {
    var seen = samples.of(gpu);
    return seen.problem().isEmpty() && seen.last().isPresent();
  }

  /// Whether every GPU has answered that there is nothing more to ask.
  boolean isDead(Inventory inventory) {
    return !inventory.gpus().isEmpty()
        && inventory.gpus().stream()
            .map(gpu -> samples.of(gpu.index()))
            .allMatch(seen -> seen.last().isEmpty() && seen.problem().isPresent());
  }

  boolean isFor(SamplePlan other) {
    return plan.equals(other);
  }

  SamplePlan plan() {
    return plan;
  }

  GpuSamples samples() {
    return samples;
  }

  Rates rates() {
    return rates;
  }

  Map<Integer, Map<BoardText, String>> texts() {
    return Map.copyOf(texts);
  }

  Map<View.Pair, Integer> peers() {
    return peers;
  }

  @Override
  public void close() {
    samples.close();
  }
}
