package dev.pitcrew.hardware.nvml;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/// Counts the calls inside the library and rejects those after its end. The end itself waits until
/// the last call has returned, as a call may hang in the driver: shutting NVML down or unmapping
/// its code under such a call would end the process.
final class CallGate {
  private static final long CLOSED = Long.MIN_VALUE;

  private final AtomicLong inside = new AtomicLong();
  private final AtomicBoolean isClosing = new AtomicBoolean();
  private final Runnable onReturn;
  private final Runnable end;

  /// @param onReturn runs on the caller's thread after each call
  /// @param end runs once, when the gate is closed and no call is inside any more
  CallGate(Runnable onReturn, Runnable end) {
    this.onReturn = onReturn;
    this.end = end;
  }

  /// Whether the call may be made; if so, [#leave] follows.
  boolean enter() {
    long now = inside.get();
    while (now >= 0) {
      if (inside.compareAndSet(now, now + 1)) {
        return true;
      }
      now = inside.get();
    }
    return false;
  }

  void leave() {
    onReturn.run();
    if (inside.decrementAndGet() == CLOSED) {
      end.run();
    }
  }

  /// Rejects calls from now on.
  ///
  /// @return whether no call was inside, so that the end has come
  boolean close() {
    if (!isClosing.compareAndSet(false, true)) {
      return inside.get() == CLOSED;
    }
    boolean isEmpty = inside.addAndGet(CLOSED) == CLOSED;
    if (isEmpty) {
      end.run();
    }
    return isEmpty;
  }
}
