// Long because it is one loop: what is looked at, when, and what is made of it.
package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.Examination;
import dev.pitcrew.agent.health.HealthRules;
import dev.pitcrew.agent.health.KnownGpus;
import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.LoggedXids;
import dev.pitcrew.agent.health.UnhealthyDevices;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.core.ThreadEnd;
import dev.pitcrew.core.xids.XidCatalogue;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.UnreadableGpu;
import dev.pitcrew.hardware.gpu.GpuSettings;
import dev.pitcrew.hardware.gpu.Gpus;
import dev.pitcrew.hardware.gpu.Vitals;
import dev.pitcrew.hardware.nvml.Answer;
import dev.pitcrew.hardware.nvml.NvmlError;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the GPUs of the node while the driver comes and goes, and reports each snapshot that
/// differs from the one before. A burst of events makes one snapshot.
public final class NodeWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);

  /// The safety net under what the kernel announces.
  private static final Duration UNTIL_DRIVER_IS_LOOKED_FOR_AGAIN = Duration.ofSeconds(1);

  /// For what no event reports, such as a GPU that fell off the bus or hangs.
  private static final Duration UNTIL_GPUS_ARE_LOOKED_AT_AGAIN = Duration.ofSeconds(5);

  /// While it is not decided whether a GPU hangs.
  private static final Duration UNTIL_SLOW_GPUS_ARE_LOOKED_AT_AGAIN = Duration.ofSeconds(1);

  /// For readings that no event reports, such as a link that is down, where they are watched.
  private static final Duration UNTIL_EXAMINED_AGAIN = Duration.ofMillis(500);

  /// A GPU that does not answer must not keep the others from being offered. The first answers of a
  /// process take longer.
  private static final Duration TIMEOUT = Duration.ofMillis(400);

  private static final Duration FIRST_TIMEOUT = Duration.ofMillis(500);

  /// While it is not decided whether a GPU hangs whose readings are late.
  private static final Duration UNTIL_LATE_GPUS_ARE_EXAMINED_AGAIN = Duration.ofMillis(200);

  /// Readings take a few milliseconds. A GPU that is this late twice while the driver answers
  /// others is withheld; whether it hangs is decided later.
  private static final Duration VITALS_TIMEOUT = Duration.ofMillis(250);

  /// Registering for events is quick, or hangs.
  private static final Duration LISTEN_TIMEOUT = Duration.ofMillis(250);

  /// Events come in bursts.
  private static final Duration PAUSE = Duration.ofMillis(50);

  private final GpuSettings settings;
  private final XidPolicy policy;
  private final DriverLog log;
  private final Optional<HealthRules> rules;
  private final InstantSource clock;
  private final Consumer<NodeSnapshot> listener;
  private final Wake wake = new Wake();
  private final Thread thread;

  private Optional<KnownGpus> known;
  private UnhealthyDevices unhealthy;

  /// Whether what is known was seen by another agent under the present load of the driver.
  private boolean isContinued;

  /// Whose readings came the last time, by NVML index.
  private Set<Integer> read = Set.of();

  /// Who is late with them, by NVML index.
  private Set<Integer> late = Set.of();

  /// Who is late with them although the driver answers others, by NVML index.
  private Set<Integer> silent = Set.of();

  private boolean driverWasGone;

  /// Whether no list of the present load of the driver was seen yet, after another load.
  private boolean isReloaded;

  private boolean driverIsSlow;
  private @Nullable NodeSnapshot published;

  /// What a watch is made of.
  ///
  /// @param rules how the levels of GPUs come and go; empty where Xids alone count, and stay
  /// @param before what an earlier watch of this node saw last, in this boot; empty where there was
  ///   none
  public record Basis(
      GpuSettings settings,
      XidPolicy policy,
      Optional<HealthRules> rules,
      Optional<NodeSnapshot.WithDriver> before) {

    public Basis(GpuSettings settings, XidPolicy policy, Optional<NodeSnapshot.WithDriver> before) {
      this(settings, policy, Optional.empty(), before);
    }

    private LogNotes notes() {
      return before.map(NodeSnapshot.WithDriver::log).orElse(LogNotes.NONE);
    }

    private UnhealthyDevices unhealthy() {
      return before
          .map(it -> it.unhealthy().under(policy))
          .map(unhealthy -> rules.isPresent() ? unhealthy : unhealthy.byXidsOnly())
          .orElse(UnhealthyDevices.NONE);
    }
  }

  private NodeWatch(Basis basis, InstantSource clock, Consumer<NodeSnapshot> listener) {
    this.settings = basis.settings();
    this.policy = basis.policy();
    this.rules = basis.rules();
    this.clock = clock;
    this.listener = listener;
    known = basis.before().map(NodeSnapshot.WithDriver::gpus);
    unhealthy = basis.unhealthy();
    log = new DriverLog(settings.host(), policy, basis.notes(), clock);
    isContinued = known.isPresent();
    thread = Thread.ofVirtual().name("node-watch").unstarted(this::run);
  }

  /// @param listener called for each snapshot, first as soon as the node has been looked at, one
  ///   after the other on a thread of the watch
  public static NodeWatch start(Basis basis, InstantSource clock, Consumer<NodeSnapshot> listener) {
    var watch = new NodeWatch(basis, clock, listener);
    watch.thread.start();
    return watch;
  }

  /// Has the GPUs looked at soon: they were changed.
  public void look() {
    wake.look();
  }

  /// Closes NVML, so that the driver may be unloaded.
  @Override
  public void close() {
    ThreadEnd.of(thread);
  }

  private void run() {
    try (log;
        var _ = DriverSigns.watch(settings.host(), wake::look)) {
      while (!Thread.currentThread().isInterrupted()) {
        openAndFollow();
        wake.awaitUntil(System.nanoTime() + UNTIL_DRIVER_IS_LOOKED_FOR_AGAIN.toNanos());
        pause();
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("the node is no longer followed");
    }
  }

  /// A fault of one round must not end the watch for good.
  private void openAndFollow() throws InterruptedException {
    try {
      Answer<Gpus> opened = Gpus.open(settings, TIMEOUT, wake::look);
      switch (opened) {
        case Answer.Value(var gpus) -> follow(gpus);
        case Answer<Gpus> none -> withoutDriver(none);
      }
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("the GPUs could not be followed; trying again");
    }
  }

  /// Until the driver is unloaded. A reload of the driver resets every GPU; a driver that merely
  /// did not answer has reset none.
  private void follow(Gpus gpus) throws InterruptedException {
    try (gpus;
        var listener = new NvmlEventListener(gpus, policy, wake)) {
      begin(DriverLoad.now(settings.host()));
      log.open();
      Optional<Examination> examination = rules.map(Examination::new);
      Duration timeout = FIRST_TIMEOUT;
      long nextLookNanos = System.nanoTime();
      boolean isLoaded = true;
      boolean isLookedAt = false;
      while (isLoaded) {
        wake.awaitUntil(untilNextTurn(nextLookNanos));
        List<XidEvent> delivered = listener.drain();
        markUnhealthy(delivered);
        // Before a look, which waits for a GPU that hangs, except for the first look.
        if (isLookedAt) {
          read(delivered, listener);
          examination.ifPresent(it -> examine(gpus, it));
        }
        if (wake.wantsLook() || nextLookNanos - System.nanoTime() <= 0) {
          isLoaded = look(gpus, listener, timeout);
          timeout = TIMEOUT;
          nextLookNanos = System.nanoTime() + untilNextLook(gpus).toNanos();
        }
        if (isLoaded && !isLookedAt) {
          examination.ifPresent(it -> examine(gpus, it));
          isLookedAt = true;
        }
        pause();
      }
    }
  }

  private long untilNextTurn(long nextLookNanos) {
    boolean isUndecided = !silent.containsAll(late);
    Duration pause = isUndecided ? UNTIL_LATE_GPUS_ARE_EXAMINED_AGAIN : UNTIL_EXAMINED_AGAIN;
    long examined = System.nanoTime() + pause.toNanos();
    long next = rules.isPresent() && examined - nextLookNanos < 0 ? examined : nextLookNanos;
    long logged = log.nextNanos().orElse(next);
    return logged - next < 0 ? logged : next;
  }

  /// Only GPUs that answer: what is known of the others is why they do not. One whose readings end
  /// is worth a look at once: it may have fallen off the bus.
  private void examine(Gpus gpus, Examination examination) {
    known.ifPresent(now -> {
      List<Integer> answering =
          now.inventory().gpus().stream()
              .filter(gpu -> !now.unanswered().containsKey(gpu.uuid()))
              .map(Gpu::index)
              .toList();
      Map<Integer, Vitals> vitals = gpus.vitals(answering, VITALS_TIMEOUT);
      if (answering.stream().anyMatch(gpu -> read.contains(gpu) && !vitals.containsKey(gpu))) {
        wake.look();
      }
      late =
          answering.stream()
              .filter(gpu -> !vitals.containsKey(gpu))
              .filter(gpu -> read.contains(gpu) || late.contains(gpu))
              .collect(Collectors.toUnmodifiableSet());
      silent = late.isEmpty() ? Set.of() : gpus.silent(late);
      read = Set.copyOf(vitals.keySet());
      unhealthy = examination.of(now.inventory(), vitals, unhealthy, clock.instant());
      publish(withDriver(now));
    });
  }

  private NodeSnapshot withDriver(KnownGpus gpus) {
    return new NodeSnapshot.WithDriver(
        gpus,
        unhealthy,
        gpus.inventory().gpus().stream()
            .filter(gpu -> silent.contains(gpu.index()))
            .map(Gpu::uuid)
            .collect(Collectors.toSet()),
        log.notes());
  }

  private void begin(Optional<String> load) {
    late = Set.of();
    silent = Set.of();
    isContinued =
        isContinued
            && (driverWasGone ? unhealthy.isOfSameLoad(load) : !unhealthy.isOfOtherLoad(load));
    isReloaded |= driverWasGone && !unhealthy.isOfSameLoad(load);
    unhealthy = (driverWasGone ? unhealthy.afterDriverStart(load) : unhealthy).underLoad(load);
    driverWasGone = false;
  }

  private static Duration untilNextLook(Gpus gpus) {
    return gpus.isUndecided()
        ? UNTIL_SLOW_GPUS_ARE_LOOKED_AT_AGAIN
        : UNTIL_GPUS_ARE_LOOKED_AT_AGAIN;
  }

  /// What comes meanwhile is acted on together.
  private static void pause() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis());
  }

  private void markUnhealthy(List<XidEvent> xids) {
    if (xids.isEmpty()) {
      return;
    }
    known.ifPresent(gpus -> {
      for (XidEvent xid : xids) {
        unhealthy = unhealthy.after(xid, gpus.inventory(), policy, clock.instant());
      }
      publish(withDriver(gpus));
    });
  }

  /// What the kernel's log has of GPUs and switches, beside the events that arrived meanwhile.
  private void read(List<XidEvent> delivered, NvmlEventListener listener) {
    log.read(delivered);
    known.ifPresent(gpus -> {
      for (LoggedXids.Undelivered xid : log.undelivered(gpus.inventory())) {
        boolean counts = xid.counts(listener.isSubscribed(xid.gpu().index()));
        LOG.atWarn()
            .addKeyValue("gpu", xid.gpu().index())
            .log(
                "the kernel log has {} and NVML does not deliver it; {}",
                XidCatalogue.text(xid.event().xid()),
                counts ? "it counts" : "it asks for no reset and does not count");
        if (counts) {
          unhealthy = unhealthy.after(xid.event(), gpus.inventory(), policy, xid.at());
        }
      }
      publish(withDriver(gpus));
    });
  }

  /// @return whether the driver is still there
  private boolean look(Gpus gpus, NvmlEventListener listener, Duration timeout) {
    return switch (gpus.inventory(timeout)) {
      case Answer.Value(var inventory) -> {
        // A reported GPU may be used at once, and from then on its Xids count.
        listener.open(answering(inventory), LISTEN_TIMEOUT);
        seen(inventory);
        yield true;
      }
      case Answer.Failed<Inventory>(var error, var call) when error == NvmlError.UNRESPONSIVE -> {
        hangs(Answer.<Inventory>failed(error, call), gpus.isUndecided());
        yield true;
      }
      case Answer<Inventory> none -> {
        withoutDriver(none);
        yield false;
      }
    };
  }

  /// Where nothing was ever seen under a load of the driver, the list waits until each GPU has
  /// answered or is known to hang: the driver initializes GPUs one by one at their first use, some
  /// seconds each, and a list that lacks some withdraws devices that are in use and changes labels.
  private void seen(Inventory inventory) {
    driverIsSlow = false;
    if ((known.isEmpty() || isReloaded)
        && inventory.unreadable().stream().anyMatch(UnreadableGpu::isPending)) {
      return;
    }
    isReloaded = false;
    KnownGpus now =
        known
            .map(before -> isContinued ? before.continuedBy(inventory) : before.then(inventory))
            .orElse(KnownGpus.first(inventory));
    known = Optional.of(now);
    // A GPU that has answered once is not slow because of its first use.
    isContinued = isContinued && inventory.unreadable().stream().anyMatch(UnreadableGpu::isPending);
    unhealthy = unhealthy.seeing(now);
    publish(withDriver(now));
  }

  private static Set<Integer> answering(Inventory inventory) {
    return inventory.gpus().stream().map(Gpu::index).collect(Collectors.toUnmodifiableSet());
  }

  /// The driver as a whole is slow or hangs: what is known stays.
  private void hangs(Answer<?> none, boolean isUndecided) {
    if (!driverIsSlow && !isUndecided) {
      driverIsSlow = true;
      LOG.atWarn().log("the driver does not answer: {}", none.reason());
    }
    if (known.isEmpty() && !isUndecided) {
      withoutDriver(none);
    }
  }

  private void withoutDriver(Answer<?> none) {
    driverWasGone |=
        none.isFailedWith(NvmlError.DRIVER_NOT_LOADED)
            || none.isFailedWith(NvmlError.UNINITIALIZED)
            || none.isFailedWith(NvmlError.LIBRARY_NOT_FOUND);
    publish(new NodeSnapshot.WithoutDriver(none.reason(), known.map(KnownGpus::inventory)));
  }

  private void publish(NodeSnapshot snapshot) {
    if (snapshot.equals(published)) {
      return;
    }
    logHealth(
        published == null ? Map.of() : published.health().unhealthy(),
        snapshot.health().unhealthy());
    published = snapshot;
    try {
      listener.accept(snapshot);
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("a snapshot of the node was not acted on");
    }
  }

  private static void logHealth(Map<String, String> before, Map<String, String> now) {
    now.forEach((device, reason) -> {
      if (!reason.equals(before.get(device))) {
        LOG.atWarn().addKeyValue("device", device).log("the device is unhealthy: {}", reason);
      }
    });
    before.keySet().stream()
        .filter(device -> !now.containsKey(device))
        .forEach(device ->
            LOG.atInfo().addKeyValue("device", device).log("the device is healthy again"));
  }
}
