package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.hardware.gpu.EventType;
import dev.pitcrew.hardware.gpu.GpuWatch;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.HealthSignal;
import dev.pitcrew.hardware.nvml.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Receives the NVML events of the GPUs while the driver is loaded. Each Xid that counts is kept
/// once, so that a storm of one GPU cannot push out the event of another; all other relevant events
/// trigger a look.
final class NvmlEventListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NvmlEventListener.class);

  private static final Duration BETWEEN_RENEWALS = Duration.ofSeconds(1);

  private final Gpus gpus;
  private final XidPolicy policy;
  private final Wake wake;
  private final Set<XidEvent> xids = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isDeaf = new AtomicBoolean();
  private Optional<GpuWatch> watch = Optional.empty();
  private long nextRenewalNanos = System.nanoTime();

  NvmlEventListener(Gpus gpus, XidPolicy policy, Wake wake) {
    this.gpus = gpus;
    this.policy = policy;
    this.wake = wake;
  }

  /// Watches every GPU that supports events: after a look, since GPUs that come or answer again
  /// need a new watch.
  ///
  /// @param answering the NVML indices of the GPUs that could be read
  /// @param timeout how long to wait for a GPU
  void open(Set<Integer> answering, Duration timeout) {
    boolean isComplete =
        watch
            .filter(now ->
                now.unwatched().stream()
                    .noneMatch(gpu ->
                        gpu.isSupported()
                            && answering.contains(gpu.index())
                            && gpus.isResponsive(gpu.index(), timeout)))
            .isPresent();
    if (isComplete && !isRenewalDue()) {
      return;
    }
    isDeaf.set(false);
    switch (gpus.watch(this::hear, timeout)) {
      case Answer.Value(var opened) -> {
        // Not before the next one: an event between two watches is lost.
        watch.ifPresent(GpuWatch::retire);
        watch = Optional.of(opened);
      }
      // The one before goes on: its set may answer again.
      case Answer<GpuWatch> none -> {
        isDeaf.set(true);
        LOG.atWarn().log("no events of any GPU: {}", none.reason());
      }
    }
    watch.stream()
        .flatMap(now -> now.unwatched().stream())
        .forEach(gpu ->
            LOG.atWarn()
                .addKeyValue("gpu", gpu.index())
                .log("no events of a GPU: {}", gpu.reason()));
  }

  /// Where each new watch fails as well, a look that this causes opens no further one.
  private boolean isRenewalDue() {
    long now = System.nanoTime();
    if (!isDeaf.get() || now - nextRenewalNanos < 0) {
      return false;
    }
    nextRenewalNanos = now + BETWEEN_RENEWALS.toNanos();
    return true;
  }

  /// Whether NVML delivers the events of a GPU.
  boolean isSubscribed(int index) {
    return !isDeaf.get()
        && watch
            .filter(now -> now.unwatched().stream().noneMatch(gpu -> gpu.index() == index))
            .isPresent();
  }

  /// Returns the events since the last call.
  List<XidEvent> drain() {
    List<XidEvent> drained = List.copyOf(xids);
    drained.forEach(xids::remove);
    return drained;
  }

  private void hear(HealthSignal signal) {
    switch (signal) {
      case HealthSignal.Event event -> hear(event);
      case HealthSignal.Interrupted(var error, var call) -> {
        LOG.atWarn().log("no events of any GPU: {}: {}", call, error.meaning());
        isDeaf.set(true);
        wake.look();
      }
      case HealthSignal.Resumed() -> wake.look();
    }
  }

  private void hear(HealthSignal.Event event) {
    if (event.type() == EventType.MIG_CHANGED) {
      wake.look();
    }
    XidEvent.from(event)
        .filter(xid -> policy.isWatching() && policy.isCritical(xid.xid()))
        .ifPresent(xid -> {
          xids.add(xid);
          wake.listen();
        });
  }

  @Override
  public void close() {
    watch.ifPresent(GpuWatch::close);
  }
}
