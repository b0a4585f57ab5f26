package dev.pitcrew.agent.metrics;

import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.EventType;
import dev.pitcrew.hardware.gpu.GpuWatch;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.HealthSignal;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/// One opened driver, with its samples and its events.
final class SampledDriver implements AutoCloseable {
  /// What needs two samples is there then.
  private static final int ROUNDS_BEFORE_SHOWN = 2;

  private static final Duration LISTEN_TIMEOUT = Duration.ofMillis(250);

  private final Gpus gpus;
  private final View.Logs logs;
  private Set<Integer> watched = Set.of();
  private Optional<GpuWatch> watch = Optional.empty();
  private Optional<Sampling> shown = Optional.empty();
  private Optional<Sampling> coming = Optional.empty();

  SampledDriver(Gpus gpus, View.Logs logs) {
    this.gpus = gpus;
    this.logs = logs;
  }

  /// Reads all GPUs once more. Where the plan is another one than before, the samples of the old
  /// one are shown until the new one has its own: a counter that is in both is never missing.
  ///
  /// @param holders whose GPUs are shared
  void round(SamplePlan plan, Inventory inventory, Holders holders) {
    hear(inventory);
    follow(plan);
    shown.ifPresent(it -> it.round(inventory, holders));
    shown.ifPresent(it -> it.countClockEvents(inventory, logs.clocks()));
    shown.ifPresent(it -> it.watchHealth(inventory, logs.health()));
    coming.ifPresent(it -> it.round(inventory, holders));
    if (coming.filter(it -> it.rounds() >= ROUNDS_BEFORE_SHOWN).isPresent()) {
      shown.ifPresent(Sampling::close);
      shown = coming;
      coming = Optional.empty();
    }
  }

  private void follow(SamplePlan plan) {
    if (shown.isEmpty()) {
      shown = Optional.of(new Sampling(gpus, plan));
    }
    if (coming.filter(it -> !it.isFor(plan)).isPresent()) {
      coming.ifPresent(Sampling::close);
      coming = Optional.empty();
    }
    if (coming.isEmpty() && shown.filter(it -> it.isFor(plan)).isEmpty()) {
      coming = Optional.of(new Sampling(gpus, plan));
    }
  }

  Optional<Sampling> shown() {
    return shown;
  }

  /// GPUs that come or answer again need a new watch.
  private void hear(Inventory inventory) {
    Set<Integer> indices =
        inventory.gpus().stream().map(Gpu::index).collect(Collectors.toUnmodifiableSet());
    if (!indices.equals(watched) || watch.isEmpty()) {
      Optional<GpuWatch> before = watch;
      watch = gpus.watch(this::happened, LISTEN_TIMEOUT).toOptional();
      before.ifPresent(GpuWatch::close);
      watched = indices;
    }
  }

  private void happened(HealthSignal signal) {
    if (signal instanceof HealthSignal.Event(var uuid, var type, long data, OptionalInt part, _)
        && type == EventType.XID) {
      uuid.ifPresent(gpu -> logs.xids().add(gpu, data, part));
    }
  }

  /// Closes NVML.
  @Override
  public void close() {
    watch.ifPresent(GpuWatch::close);
    coming.ifPresent(Sampling::close);
    shown.ifPresent(Sampling::close);
    gpus.close();
  }
}
