package dev.pitcrew.agent.dra;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/// What was read last of the GPUs, for as long as the agent itself has NVML closed: a claim for
/// which the MIG mode of a GPU changes must not have those refused that come meanwhile. The driver
/// answers a moment after NVML may be opened again.
final class LastRead<T> {
  private static final Duration TO_OPEN = Duration.ofSeconds(5);

  private final LongSupplier nanos;
  private Optional<T> last = Optional.empty();
  private boolean isClosed;
  private long openedNanos;

  LastRead(LongSupplier nanos) {
    this.nanos = nanos;
    this.openedNanos = nanos.getAsLong() - TO_OPEN.toNanos();
  }

  /// From now on NVML is closed for a claim, or may be opened again.
  synchronized void close(boolean isNeeded) {
    isClosed = isNeeded;
    openedNanos = nanos.getAsLong();
  }

  /// @param now empty while the driver does not answer
  synchronized Optional<T> or(Optional<T> now) {
    if (now.isEmpty()) {
      boolean isOwn = isClosed || nanos.getAsLong() - openedNanos < TO_OPEN.toNanos();
      return isOwn ? last : Optional.empty();
    }
    last = now;
    return now;
  }
}
