package dev.pitcrew.agent.node;

import dev.pitcrew.agent.health.LogNotes;
import dev.pitcrew.agent.health.LoggedXids;
import dev.pitcrew.agent.health.SwitchError;
import dev.pitcrew.agent.health.XidEvent;
import dev.pitcrew.agent.health.XidPolicy;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.hardware.driver.DriverMessage;
import dev.pitcrew.hardware.linux.KernelLog;
import dev.pitcrew.hardware.linux.KernelRecord;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The lines of NVIDIA's drivers in the kernel's log: a second source of Xids beside NVML, and the
/// only one of SXids. It has no thread: the loop that looks at the GPUs reads it in passing, which
/// never waits. See design/2026-11-26-kernel-log.md.
final class DriverLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverLog.class);

  /// A storm of the log costs some milliseconds of a turn. What is left comes in the next turn, or
  /// is overwritten.
  private static final int MOST_IN_A_TURN = 4096;

  /// A change of the read position alone is not published.
  private static final Duration BETWEEN_NOTES = Duration.ofSeconds(10);

  private static final String UPTIME = "/proc/uptime";

  private final HostRoot host;
  private final XidPolicy policy;
  private final InstantSource clock;
  private final LoggedXids xids = new LoggedXids();
  private Optional<KernelLog> log = Optional.empty();
  private OptionalLong last;
  private LogNotes notes;
  private boolean isOpened;
  private boolean isCaughtUp;
  private boolean hadGap;
  private boolean hasUnnoted;
  private long notedNanos = System.nanoTime() - BETWEEN_NOTES.toNanos();

  /// @param before what an earlier reader has noted in this boot
  DriverLog(HostRoot host, XidPolicy policy, LogNotes before, InstantSource clock) {
    this.host = host;
    this.policy = policy;
    this.clock = clock;
    last = before.readUpTo();
    notes = before;
  }

  /// Opens the log, once.
  void open() {
    if (isOpened) {
      return;
    }
    isOpened = true;
    try {
      log = Optional.of(KernelLog.open(host));
    } catch (IOException e) {
      LOG.atInfo().log(
          "the kernel log is not read ({}): Xids are known from NVML alone, and errors of NVSwitches are not known; give the container /dev/kmsg and the capability SYSLOG",
          e.getMessage());
    }
    if (last.isEmpty()) {
      passOver();
    }
  }

  /// What was written before the first reader is older than the first agent of this boot, or than
  /// what was done to the GPUs.
  private void passOver() {
    log.ifPresent(it -> it.read(KernelLog.MOST_RECORDS, record -> last = sequence(record)));
    isCaughtUp = true;
    notes = new LogNotes(last, notes.switches());
  }

  private static OptionalLong sequence(KernelRecord record) {
    return OptionalLong.of(record.sequence());
  }

  /// Reads what is new.
  ///
  /// @param delivered what NVML has delivered since the last time
  void read(List<XidEvent> delivered) {
    long nanos = System.nanoTime();
    delivered.forEach(it -> xids.delivered(it, nanos));
    log.ifPresent(it -> {
      KernelLog.Progress progress = it.read(MOST_IN_A_TURN, this::take);
      isCaughtUp |= progress.isAtEnd();
      if (progress.hasGap() && !hadGap) {
        LOG.atWarn().log("the kernel has overwritten records of its log before they were read");
      }
      hadGap = progress.hasGap();
      if (!progress.problem().isEmpty()) {
        LOG.atWarn()
            .log(
                "the kernel log is no longer read ({}): from now on Xids are known from NVML alone",
                progress.problem());
        close();
      }
    });
  }

  private void take(KernelRecord record) {
    if (last.isPresent() && record.sequence() <= last.getAsLong()) {
      return;
    }
    last = sequence(record);
    if (record.isOfKernel()) {
      DriverMessage.of(record.message()).ifPresent(message -> take(record, message));
    }
  }

  private void take(KernelRecord record, DriverMessage message) {
    hasUnnoted = true;
    switch (message) {
      case DriverMessage.Xid xid -> {
        if (policy.isCritical(xid.number())) {
          xids.add(record.sequence(), xid, time(record), System.nanoTime());
        }
      }
      case DriverMessage.SwitchError(var address, var number, var isFatal, var text) -> {
        var error = new SwitchError(address, number, isFatal, text, time(record));
        LogNotes next = notes.with(error);
        if (!next.equals(notes)) {
          LOG.atWarn().log("{}", error);
          note(next);
        }
      }
      case DriverMessage.Loading() -> {
        xids.forget();
        note(notes.afterLoading());
      }
    }
  }

  /// The kernel's log has a clock of its own, which counts from the start of the machine and is
  /// never corrected. It is asked only for what was written before this reader began.
  private Instant time(KernelRecord record) {
    Instant now = clock.instant();
    return isCaughtUp
        ? now
        : uptime()
            .map(it -> now.minus(it).plus(record.sinceBoot()))
            .filter(it -> it.isBefore(now))
            .orElse(now);
  }

  private Optional<Duration> uptime() {
    try {
      return host.text(UPTIME)
          .map(it -> Duration.ofMillis((long) (1000 * Double.parseDouble(it.split(" ", 2)[0]))));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  /// The Xids that NVML has not delivered and has had the time to.
  List<LoggedXids.Undelivered> undelivered(Inventory inventory) {
    LoggedXids.Settled settled = xids.settle(inventory, System.nanoTime());
    settled
        .unknown()
        .forEach(address ->
            LOG.atWarn()
                .addKeyValue("pci", address)
                .log("an Xid in the kernel log is of no GPU of this node"));
    boolean isDue = System.nanoTime() - notedNanos >= BETWEEN_NOTES.toNanos();
    if (hasUnnoted && (isDue || !settled.undelivered().isEmpty())) {
      note(notes);
      hasUnnoted = xids.nextNanos().isPresent();
    }
    return settled.undelivered();
  }

  private void note(LogNotes next) {
    notes = new LogNotes(xids.settledUpTo(last), next.switches());
    notedNanos = System.nanoTime();
  }

  /// When a line may be known to be undelivered; empty where none waits.
  OptionalLong nextNanos() {
    return xids.nextNanos();
  }

  LogNotes notes() {
    return notes;
  }

  @Override
  public void close() {
    log.ifPresent(KernelLog::close);
    log = Optional.empty();
  }
}
