package dev.pitcrew.testbed.bench;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.controlplane.GuardedProcess;
import java.time.Instant;

/// The running operator.
///
/// @param started the moment before its process was
record OperatorUnderTest(GuardedProcess guard, long processId, Instant started)
    implements AutoCloseable {
  ProcessFigures figures() {
    requireRunning();
    return ProcessFigures.of(processId);
  }

  /// @throws TestbedException with the end of its log, if the operator has ended unexpectedly
  void requireRunning() {
    if (!guard.isAlive()) {
      throw new TestbedException(
          "the operator ended unexpectedly; its log ends with:\n" + guard.logTail());
    }
  }

  @Override
  public void close() {
    guard.stop();
  }
}
