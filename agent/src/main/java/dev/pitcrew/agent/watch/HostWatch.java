package dev.pitcrew.agent.watch;

import dev.pitcrew.agent.host.HostFacts;
import dev.pitcrew.agent.host.HostSigns;
import dev.pitcrew.hardware.HostRoot;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Looks at the node around its GPUs: at the start, when something happened to them, and now and
/// then, since nothing announces a kernel module.
public final class HostWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HostWatch.class);
  private static final Duration UNTIL_LOOKED_AT_AGAIN = Duration.ofMinutes(10);
  private static final Duration WHILE_DOUBTFUL = Duration.ofSeconds(5);

  private final HostRoot host;
  private final Consumer<HostState> states;
  private final Semaphore hints = new Semaphore(0);
  private final Thread thread = Thread.ofVirtual().name("host-watch").unstarted(this::run);

  private HostWatch(HostRoot host, Consumer<HostState> states) {
    this.host = host;
    this.states = states;
  }

  public static HostWatch start(HostRoot host, Consumer<HostState> states) {
    var watch = new HostWatch(host, states);
    watch.thread.start();
    return watch;
  }

  /// Something has happened; a look may show more of it.
  public void hint() {
    hints.release();
  }

  private void run() {
    try {
      Optional<HostState> last = Optional.empty();
      while (!Thread.currentThread().isInterrupted()) {
        last = look(last);
        boolean isSure = last.filter(view -> !view.isDoubtful()).isPresent();
        Duration pause = isSure ? UNTIL_LOOKED_AT_AGAIN : WHILE_DOUBTFUL;
        if (hints.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS)) {
          hints.drainPermits();
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// A folder of the kernel may go while it is read.
  private Optional<HostState> look(Optional<HostState> last) {
    try {
      HostState now = HostState.of(HostFacts.features(host), HostSigns.of(host), last);
      states.accept(now);
      return Optional.of(now);
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("the node could not be looked at; trying again");
      return last;
    }
  }

  @Override
  public void close() {
    thread.interrupt();
  }
}
