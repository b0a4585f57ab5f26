package dev.pitcrew.agent.dra;

import dev.pitcrew.agent.dra.claims.GpuTurn;
import dev.pitcrew.agent.gpu.DriverController;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Has the other parts of the agent leave the GPUs to a claim: those that change GPUs wait, and for
/// a change of the MIG mode all others close NVML, as for the MIG layout of the node.
final class DriverTurn implements GpuTurn {
  /// The kubelet waits 45 s for all claims of a pod, and tries again only seconds after a failure:
  /// the claims of many pods that start at once come one after the other.
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /// Where a call hangs in NVML, the driver may change the mode all the same, or say why not.
  private static final Duration TO_CLOSE = Duration.ofSeconds(5);

  private static final long BETWEEN_LOOKS_MILLIS = 10;

  private final DriverController driver;
  private final Consumer<Boolean> needsDriver;

  /// @param needsDriver receives whether no other part of the agent may have NVML open
  DriverTurn(DriverController driver, Consumer<Boolean> needsDriver) {
    this.driver = driver;
    this.needsDriver = needsDriver;
  }

  @Override
  public <T> Optional<T> take(Supplier<T> change) {
    return driver.alone(TIMEOUT, change);
  }

  @Override
  public <T> T alone(Supplier<T> change) {
    needsDriver.accept(true);
    try {
      awaitClosed();
      return change.get();
    } finally {
      needsDriver.accept(false);
    }
  }

  private void awaitClosed() {
    long until = System.nanoTime() + TO_CLOSE.toNanos();
    try {
      while (!driver.use().isOver() && System.nanoTime() < until) {
        TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void changed() {
    driver.look();
  }
}
