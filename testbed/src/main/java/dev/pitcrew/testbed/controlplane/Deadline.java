package dev.pitcrew.testbed.controlplane;

import dev.pitcrew.testbed.TestbedException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// The moment by which something that a process does must be over.
public record Deadline(long atNanos, Duration limit) {
  private static final Duration POLL = Duration.ofMillis(20);

  public static Deadline in(Duration limit) {
    return new Deadline(System.nanoTime() + limit.toNanos(), limit);
  }

  /// Returns as soon as `isReady`; foreign processes offer nothing to wait on, so it is asked
  /// often.
  ///
  /// @throws PortTaken if `process` ended because another program took its port
  /// @throws TestbedException if `process` ended or time is up, with the end of its log
  public void await(GuardedProcess process, BooleanSupplier isReady) {
    while (!isReady.getAsBoolean()) {
      if (!process.isAlive()) {
        throw process.lostItsPort()
            ? new PortTaken()
            : failure(process, "ended before it was ready");
      }
      if (System.nanoTime() - atNanos > 0 || Thread.currentThread().isInterrupted()) {
        throw failure(process, "was not ready within " + limit.toSeconds() + " s");
      }
      LockSupport.parkNanos(POLL.toNanos());
    }
  }

  private static TestbedException failure(GuardedProcess process, String what) {
    return new TestbedException(
        "%s %s; its log ends with:\n%s".formatted(process.name(), what, process.logTail()));
  }

  /// Another program took the port between our look and our start.
  public static final class PortTaken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PortTaken() {
      super("another program took a port that had been free a moment before");
    }
  }
}
