package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.SickDevices;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
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
  private static final Duration UNTIL_GPUS_ARE_LOOKED_AT_AGAIN = Duration.ofSeconds(5);

  private final GpuSettings settings;
  private final XidPolicy policy;
  private final InstantSource clock;
  private final Consumer<NodeSnapshot> listener;
  private final Thread thread;

  private Optional<KnownGpus> known = Optional.empty();
  private SickDevices sick = SickDevices.NONE;
  private boolean driverWasGone;
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
          case Answer<Gpus> none -> withoutDriver(none);
        }
        TimeUnit.MILLISECONDS.sleep(UNTIL_DRIVER_IS_LOOKED_FOR_AGAIN.toMillis());
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("the node is no longer followed");
    }
  }

  /// Until the driver goes. A driver that was loaded anew has reset every GPU; one that merely did
  /// not answer has healed none.
  private void follow(Gpus gpus) throws InterruptedException {
    try (gpus;
        var ears = new Ears(gpus, policy)) {
      sick = driverWasGone ? sick.afterDriverStart() : sick;
      driverWasGone = false;
      long nextLookNanos = System.nanoTime();
      boolean isLoaded = true;
      while (isLoaded) {
        List<XidEvent> xids = ears.listenUntil(nextLookNanos);
        fallIll(xids);
        if (ears.wantsLook() || nextLookNanos - System.nanoTime() <= 0) {
          isLoaded = look(gpus);
          nextLookNanos = System.nanoTime() + UNTIL_GPUS_ARE_LOOKED_AT_AGAIN.toNanos();
          ears.open();
        }
      }
    }
  }

  private void fallIll(List<XidEvent> xids) {
    known.ifPresent(gpus -> {
      for (XidEvent xid : xids) {
        sick = sick.after(xid, gpus.inventory(), policy, clock.instant());
      }
      tell(new NodeSnapshot.WithDriver(gpus, sick));
    });
  }

  /// @return whether the driver is still there
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
      case Answer.Failed<Inventory>(var error, var call)
          when error == NvmlError.UNRESPONSIVE && known.isPresent() -> {
        LOG.atWarn().addKeyValue("call", call).log("the driver takes long to answer");
        yield true;
      }
      case Answer<Inventory> none -> {
        withoutDriver(none);
        yield false;
      }
    };
  }

  private void withoutDriver(Answer<?> none) {
    driverWasGone |=
        none.isFailedWith(NvmlError.DRIVER_NOT_LOADED)
            || none.isFailedWith(NvmlError.UNINITIALIZED)
            || none.isFailedWith(NvmlError.LIBRARY_NOT_FOUND);
    tell(new NodeSnapshot.WithoutDriver(none.reason(), known.map(KnownGpus::inventory)));
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
}
