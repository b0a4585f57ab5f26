package dev.pitcrew.hardware.gpu;

import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.DeviceHandle;
import dev.pitcrew.hardware.nvml.EventSetHandle;
import dev.pitcrew.hardware.nvml.NvmlError;
import dev.pitcrew.hardware.nvml.NvmlEvent;
import dev.pitcrew.hardware.nvml.NvmlLibrary;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A subscription to what happens on the GPUs, with a thread of its own.
public final class GpuWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(GpuWatch.class);
  // Only how long closing may take: an event is told as it happens.
  private static final Duration PATIENCE = Duration.ofMillis(250);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

  private final NvmlLibrary nvml;
  private final Watched watched;
  private final Consumer<HealthSignal> listener;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private boolean isInterrupted;

  /// What was registered.
  ///
  /// @param isInUse whether a registration hangs, which may still write to the set
  record Watched(
      EventSetHandle set,
      boolean isInUse,
      Map<DeviceHandle, String> uuids,
      List<Unwatched> unwatched) {
    Watched {
      uuids = Map.copyOf(uuids);
      unwatched = List.copyOf(unwatched);
    }
  }

  private GpuWatch(NvmlLibrary nvml, Watched watched, Consumer<HealthSignal> listener) {
    this.nvml = nvml;
    this.watched = watched;
    this.listener = listener;
    thread = Thread.ofPlatform().daemon().name("nvml-events").unstarted(this::run);
  }

  static GpuWatch started(NvmlLibrary nvml, Watched watched, Consumer<HealthSignal> listener) {
    var watch = new GpuWatch(nvml, watched, listener);
    watch.thread.start();
    return watch;
  }

  /// The GPUs of whose events nothing will be told.
  public List<Unwatched> unwatched() {
    return watched.unwatched();
  }

  boolean hasEnded() {
    return !thread.isAlive();
  }

  private void run() {
    while (closing.getCount() > 0) {
      switch (nvml.events().next(watched.set(), PATIENCE)) {
        case Answer.Value(var event) -> {
          resumed();
          tell(signal(event));
        }
        case Answer.NotSupported(var call) -> failed(NvmlError.NOT_SUPPORTED, call);
        case Answer.Failed(var error, _) when error == NvmlError.TIMEOUT -> resumed();
        case Answer.Failed(var error, var call) -> failed(error, call);
      }
    }
    if (!watched.isInUse()) {
      nvml.events().freeSet(watched.set());
    }
  }

  private void failed(NvmlError error, String call) {
    if (!isInterrupted) {
      isInterrupted = true;
      tell(new HealthSignal.Interrupted(error, call));
    }
    pause();
  }

  private void resumed() {
    if (isInterrupted) {
      isInterrupted = false;
      tell(new HealthSignal.Resumed());
    }
  }

  // NVML answers a broken set at once, again and again.
  private void pause() {
    try {
      if (closing.await(PAUSE_AFTER_FAILURE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.atDebug().log("closed while NVML told of no events");
      }
    } catch (InterruptedException _) {
      closing.countDown();
    }
  }

  private HealthSignal signal(NvmlEvent event) {
    return new HealthSignal.Event(
        uuid(event.device()),
        EventType.of(event.type()),
        event.data(),
        event.gpuInstance(),
        event.computeInstance());
  }

  private Optional<String> uuid(DeviceHandle device) {
    return Optional.ofNullable(watched.uuids().get(device))
        .or(() -> nvml.devices().uuid(device).toOptional());
  }

  private void tell(HealthSignal signal) {
    try {
      listener.accept(signal);
    } catch (RuntimeException e) {
      LOG.atError().addKeyValue("signal", signal).setCause(e).log("a GPU event was not handled");
    }
  }

  /// Ends the thread, within a moment unless NVML hangs.
  @Override
  public void close() {
    closing.countDown();
    if (Thread.currentThread().equals(thread)) {
      return;
    }
    try {
      if (!thread.join(PATIENCE.multipliedBy(4))) {
        LOG.atWarn().log("waiting for GPU events hangs");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
