package dev.pitcrew.agent.health;

import dev.pitcrew.api.node.HealthLevel;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.hardware.driver.DriverMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/// Xids that the kernel's log has, until it is known whether NVML delivers them as well: what both
/// report is one Xid, and the GPU that NVML names is the one that counts.
public final class LoggedXids {
  /// For how long NVML may be later than the log. It delivers within milliseconds.
  public static final Duration HOLD = Duration.ofSeconds(2);

  /// For how long NVML may be earlier than the log is read: the log is read every five seconds.
  static final Duration EARLIER = Duration.ofSeconds(10);

  /// A GPU that writes the same line again and again is held once.
  static final int MOST_HELD = 256;

  private static final String ANY = "";

  private final Deque<Line> held = new ArrayDeque<>();
  private final Map<Key, Long> delivered = new HashMap<>();

  private record Key(String uuid, long xid) {}

  private record Line(long sequence, DriverMessage.Xid xid, Instant at, long readNanos) {}

  /// An Xid that NVML has not delivered.
  ///
  /// @param gpu whose it is
  /// @param at when it was written
  public record Undelivered(Gpu gpu, XidEvent event, Instant at) {

    /// Whether it is held against the GPU. The driver also logs what it delivers to no event set,
    /// such as a row of memory that was remapped: where NVML delivers the events of the GPU, what
    /// it keeps for itself counts only if the GPU must be reset for it.
    ///
    /// @param isSubscribed whether NVML delivers the events of this GPU
    public boolean counts(boolean isSubscribed) {
      HealthLevel level = XidLevels.of(event.xid());
      return !isSubscribed || level.compareTo(HealthRules.UNFIT_FROM) >= 0;
    }
  }

  /// What became of the lines that are held no longer.
  ///
  /// @param undelivered those that NVML has not delivered
  /// @param unknown the PCI addresses of those that are of no GPU of the node
  public record Settled(List<Undelivered> undelivered, List<String> unknown) {}

  /// A line of the log.
  ///
  /// @param nanos now, by a clock that does not jump
  public void add(long sequence, DriverMessage.Xid xid, Instant at, long nanos) {
    boolean isHeld = held.stream().anyMatch(it -> it.xid().equals(xid));
    if (!isHeld && held.size() < MOST_HELD) {
      held.addLast(new Line(sequence, xid, at, nanos));
    }
  }

  /// What NVML has delivered.
  public void delivered(XidEvent event, long nanos) {
    delivered.put(new Key(event.gpuUuid().orElse(ANY), event.xid()), nanos);
  }

  /// The driver was loaded: what is held was before.
  public void forget() {
    held.clear();
  }

  /// Settles what NVML has delivered, and what it has had the time to deliver.
  public Settled settle(Inventory inventory, long nanos) {
    delivered.values().removeIf(it -> nanos - it > EARLIER.plus(HOLD).toNanos());
    var undelivered = new ArrayList<Undelivered>();
    var unknown = new ArrayList<String>();
    held.removeIf(line -> {
      Optional<Gpu> gpu =
          inventory.gpus().stream()
              .filter(it -> it.pci().address().equals(line.xid().pciAddress()))
              .findFirst();
      boolean isDelivered = gpu.filter(it -> isDeliveredBefore(it, line)).isPresent();
      boolean isDue = nanos - line.readNanos() >= HOLD.toNanos();
      if (!isDelivered && isDue) {
        gpu.ifPresentOrElse(
            it -> undelivered.add(new Undelivered(it, event(it, line.xid()), line.at())),
            () -> unknown.add(line.xid().pciAddress()));
      }
      return isDelivered || isDue;
    });
    return new Settled(undelivered, unknown);
  }

  private boolean isDeliveredBefore(Gpu gpu, Line line) {
    long from = line.readNanos() - EARLIER.toNanos();
    return List.of(gpu.uuid(), ANY).stream()
        .map(uuid -> delivered.get(new Key(uuid, line.xid().number())))
        .anyMatch(at -> at != null && at - from >= 0);
  }

  private static XidEvent event(Gpu gpu, DriverMessage.Xid xid) {
    return new XidEvent(
        Optional.of(gpu.uuid()), xid.number(), xid.gpuInstance(), xid.computeInstance());
  }

  /// When the next line is settled at the latest; empty where none is held.
  public OptionalLong nextNanos() {
    return held.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(held.getFirst().readNanos() + HOLD.toNanos());
  }

  /// The last record before the first that is held.
  ///
  /// @param last the last one that was read
  public OptionalLong settledUpTo(OptionalLong last) {
    return held.isEmpty() ? last : OptionalLong.of(held.getFirst().sequence() - 1);
  }
}
