package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.hardware.gpu.EventType;
import dev.pitcrew.hardware.gpu.GpuWatch;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.HealthSignal;
import dev.pitcrew.hardware.gpu.Unwatched;
import dev.pitcrew.hardware.nvml.Answer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Hears what NVML tells of the GPUs, for as long as the driver is loaded. Xids that count are kept
/// once each, so that no storm of one GPU can push out the event of another; all else that concerns
/// us is a reason to look.
final class Ears implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Ears.class);

  private final Gpus gpus;
  private final XidPolicy policy;
  private final Set<XidEvent> xids = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean lookIsDue = new AtomicBoolean();
  private final AtomicBoolean isDeaf = new AtomicBoolean();
  private final Semaphore news = new Semaphore(0);
  private Optional<GpuWatch> watch = Optional.empty();

  Ears(Gpus gpus, XidPolicy policy) {
    this.gpus = gpus;
    this.policy = policy;
  }

  /// Makes sure that every GPU that can tell of itself is heard: after a look, since GPUs that come
  /// or answer again need a new watch.
  void open() {
    boolean isComplete =
        watch.filter(now -> now.unwatched().stream().noneMatch(Unwatched::isSupported)).isPresent();
    if (isComplete && !isDeaf.get()) {
      return;
    }
    watch.ifPresent(GpuWatch::close);
    isDeaf.set(false);
    Answer<GpuWatch> opened = gpus.watch(this::hear);
    watch = opened.toOptional();
    if (watch.isEmpty()) {
      LOG.atWarn().log("no events of any GPU: {}", opened.reason());
    }
    watch.stream()
        .flatMap(now -> now.unwatched().stream())
        .forEach(gpu ->
            LOG.atWarn()
                .addKeyValue("gpu", gpu.index())
                .log("no events of a GPU: {}", gpu.reason()));
  }

  /// What has been heard, as soon as there is something, or nothing at that moment.
  List<XidEvent> listenUntil(long nanos) throws InterruptedException {
    if (news.tryAcquire(nanos - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      news.drainPermits();
    }
    List<XidEvent> heard = List.copyOf(xids);
    heard.forEach(xids::remove);
    return heard;
  }

  /// Whether something was heard that only a look explains. Says so once.
  boolean wantsLook() {
    return lookIsDue.getAndSet(false);
  }

  private void hear(HealthSignal signal) {
    switch (signal) {
      case HealthSignal.Event event -> hear(event);
      case HealthSignal.Interrupted(var error, var call) -> {
        LOG.atWarn().log("no events of any GPU: {}: {}", call, error.meaning());
        isDeaf.set(true);
        look();
      }
      case HealthSignal.Resumed() -> look();
    }
  }

  private void hear(HealthSignal.Event event) {
    if (event.type() == EventType.MIG_CHANGED) {
      look();
    }
    XidEvent.from(event)
        .filter(xid -> policy.isWatching() && policy.isCritical(xid.xid()))
        .ifPresent(xid -> {
          xids.add(xid);
          news.release();
        });
  }

  private void look() {
    lookIsDue.set(true);
    news.release();
  }

  @Override
  public void close() {
    watch.ifPresent(GpuWatch::close);
  }
}
