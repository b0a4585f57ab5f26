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
  // Only how long closing may take: an event is reported as it happens.
  private static final Duration TIMEOUT = Duration.ofMillis(250);

  /// An error may be over at once, and events wait in the set meanwhile.
  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /// So many errors in a row end a watch that was retired or closed. With the pauses between them
  /// that is about four seconds after it was retired.
  private static final int MOST_ERRORS_AT_THE_END = 10;

  private final NvmlLibrary nvml;
  private final Watched watched;
  private final Consumer<HealthSignal> listener;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final Thread thread;
  private boolean isInterrupted;
  private int errorsInARow;
  private volatile boolean isRetired;

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

  /// The GPUs whose events are not reported.
  public List<Unwatched> unwatched() {
    return watched.unwatched();
  }

  boolean hasEnded() {
    return !thread.isAlive();
  }

  private void run() {
    try (var events = nvml.events().wait(watched.set())) {
      boolean isAtItsEnd = false;
      while (!isAtItsEnd) {
        boolean isEnding = isEnding();
        var answer = events.next(isEnding ? Duration.ZERO : TIMEOUT);
        if (answer.isFailedWith(NvmlError.TIMEOUT)) {
          resumed();
          isAtItsEnd = isEnding;
        } else {
          isAtItsEnd = handle(answer);
        }
      }
    }
    if (!watched.isInUse()) {
      nvml.events().freeSet(watched.set());
    }
  }

  /// @return whether no more is expected of the set
  private boolean handle(Answer<NvmlEvent> answer) {
    return switch (answer) {
      case Answer.Value(var event) -> {
        resumed();
        publish(signal(event));
        yield false;
      }
      case Answer.NotSupported(var call) -> failed(NvmlError.NOT_SUPPORTED, call);
      case Answer.Failed(var error, var call) -> failed(error, call);
    };
  }

  private boolean isEnding() {
    return isRetired || closing.getCount() == 0;
  }

  /// @return whether no more is expected of the set
  private boolean failed(NvmlError error, String call) {
    errorsInARow++;
    if (isEnding() && errorsInARow >= MOST_ERRORS_AT_THE_END) {
      return true;
    }
    if (!isInterrupted && !isEnding()) {
      isInterrupted = true;
      publish(new HealthSignal.Interrupted(error, call));
    }
    pause();
    return false;
  }

  private void resumed() {
    errorsInARow = 0;
    if (isInterrupted) {
      isInterrupted = false;
      publish(new HealthSignal.Resumed());
    }
  }

  // NVML answers a broken set at once, again and again.
  private void pause() {
    try {
      if (closing.await(pauseMillis(), TimeUnit.MILLISECONDS)) {
        LOG.atDebug().log("closed while NVML reported no events");
      }
    } catch (InterruptedException _) {
      closing.countDown();
    }
  }

  private long pauseMillis() {
    long doubled = FIRST_PAUSE.toMillis() << Math.min(errorsInARow - 1, 10);
    return Math.min(doubled, LONGEST_PAUSE.toMillis());
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

  private void publish(HealthSignal signal) {
    try {
      listener.accept(signal);
    } catch (RuntimeException e) {
      LOG.atError().addKeyValue("signal", signal).setCause(e).log("a GPU event was not handled");
    }
  }

  /// Ends the watch once the pending events of its set are reported; for a watch that another one
  /// replaces. Returns at once.
  public void retire() {
    isRetired = true;
  }

  /// Reports the pending events of the set and ends the thread, within a moment unless NVML hangs.
  @Override
  public void close() {
    closing.countDown();
    if (Thread.currentThread().equals(thread)) {
      return;
    }
    try {
      if (!thread.join(TIMEOUT.multipliedBy(4))) {
        LOG.atWarn().log("waiting for GPU events hangs");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
