package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.SickDevices;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.EventType;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.GpuWatch;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.HealthSignal;
import dev.pitcrew.hardware.nvml.Answer;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the GPUs of the node while the driver comes and goes, and tells each snapshot that
/// differs from the one before. A burst of events makes one snapshot.
public final class NodeWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

  /// A driver that is loaded is not announced to us.
  private static final Duration UNTIL_DRIVER_IS_LOOKED_FOR_AGAIN = Duration.ofSeconds(1);

  /// What no event tells, such as a GPU that fell off the bus.
  private static final Duration UNTIL_GPUS_ARE_LOOKED_AT_AGAIN = Duration.ofSeconds(10);

  private static final int SIGNALS = 1024;

  private final GpuSettings settings;
  private final XidPolicy policy;
  private final InstantSource clock;
  private final Consumer<NodeSnapshot> listener;
  private final LinkedBlockingQueue<HealthSignal> signals = new LinkedBlockingQueue<>(SIGNALS);
  private final Thread thread;

  private Optional<KnownGpus> known = Optional.empty();
  private SickDevices sick = SickDevices.NONE;
  private @Nullable NodeSnapshot told;

  private NodeWatch(
      GpuSettings settings,
      XidPolicy policy,
      InstantSource clock,
      Consumer<NodeSnapshot> listener) {
    this.settings = settings;
    this.policy = policy;
    this.clock = clock;
    this.listener = listener;
    thread = Thread.ofVirtual().name("node-watch").unstarted(this::run);
  }

  /// @param listener told of each snapshot, the first as soon as the node has been looked at, one
  ///   after the other on a thread of the watch
  public static NodeWatch start(
      GpuSettings settings,
      XidPolicy policy,
      InstantSource clock,
      Consumer<NodeSnapshot> listener) {
    var watch = new NodeWatch(settings, policy, clock, listener);
    watch.thread.start();
    return watch;
  }

  /// Closes NVML, so that the driver may be unloaded.
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Answer<Gpus> opened = Gpus.open(settings);
        switch (opened) {
          case Answer.Value(var gpus) -> follow(gpus);
          case Answer<Gpus> none -> withoutDriver(none.reason());
        }
        TimeUnit.MILLISECONDS.sleep(UNTIL_DRIVER_IS_LOOKED_FOR_AGAIN.toMillis());
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("the node is no longer followed");
    }
  }

  /// Until the driver goes.
  private void follow(Gpus gpus) throws InterruptedException {
    try (gpus) {
      sick = sick.afterDriverStart();
      if (!look(gpus)) {
        return;
      }
      Answer<GpuWatch> watch = gpus.watch(this::hear);
      watch.toOptional().ifPresent(NodeWatch::tellUnwatched);
      boolean isLoaded = true;
      while (isLoaded) {
        isLoaded = heed(gpus, next());
      }
    }
  }

  /// Never waits: NVML's thread must not be held up. A queue that is full is looked through soon.
  private void hear(HealthSignal signal) {
    if (!signals.offer(signal)) {
      LOG.atWarn().addKeyValue("signal", signal).log("too many GPU events at once");
    }
  }

  private List<HealthSignal> next() throws InterruptedException {
    var next = new ArrayList<HealthSignal>();
    HealthSignal first =
        signals.poll(UNTIL_GPUS_ARE_LOOKED_AT_AGAIN.toMillis(), TimeUnit.MILLISECONDS);
    if (first != null) {
      next.add(first);
      signals.drainTo(next);
    }
    return next;
  }

  /// @return whether the driver is still there
  private boolean heed(Gpus gpus, List<HealthSignal> heard) {
    heard.forEach(this::fallIll);
    known.ifPresent(gpusNow -> tell(new NodeSnapshot.WithDriver(gpusNow, sick)));
    boolean tellsAll = !heard.isEmpty() && heard.stream().allMatch(NodeWatch::isXid);
    return tellsAll || look(gpus);
  }

  private static boolean isXid(HealthSignal signal) {
    return signal instanceof HealthSignal.Event event && event.type() == EventType.XID;
  }

  private void fallIll(HealthSignal signal) {
    if (policy.isWatching() && signal instanceof HealthSignal.Event event) {
      XidEvent.from(event).ifPresent(this::fallIll);
    }
  }

  private void fallIll(XidEvent xid) {
    known.ifPresent(gpus -> sick = sick.after(xid, gpus.inventory(), policy, clock.instant()));
  }

  private boolean look(Gpus gpus) {
    return switch (gpus.inventory()) {
      case Answer.Value(var inventory) -> {
        KnownGpus now =
            known.map(before -> before.then(inventory)).orElse(KnownGpus.first(inventory));
        known = Optional.of(now);
        sick = sick.seeing(now);
        tell(new NodeSnapshot.WithDriver(now, sick));
        yield true;
      }
      case Answer<Inventory> none -> {
        withoutDriver(none.reason());
        yield false;
      }
    };
  }

  private void withoutDriver(String reason) {
    signals.clear();
    tell(new NodeSnapshot.WithoutDriver(reason, known.map(KnownGpus::inventory)));
  }

  private void tell(NodeSnapshot snapshot) {
    if (snapshot.equals(told)) {
      return;
    }
    told = snapshot;
    try {
      listener.accept(snapshot);
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a snapshot of the node was not acted on");
    }
  }

  private static void tellUnwatched(GpuWatch watch) {
    watch
        .unwatched()
        .forEach(gpu ->
            LOG.atWarn()
                .addKeyValue("gpu", gpu.index())
                .log("no events of a GPU: {}", gpu.reason()));
  }
}
