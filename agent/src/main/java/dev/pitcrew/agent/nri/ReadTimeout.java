package dev.pitcrew.agent.nri;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes a connection whose other end does not answer in time: a read of a socket has no deadline
/// of its own.
final class ReadTimeout implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReadTimeout.class);

  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicBoolean lost = new AtomicBoolean();

  private ReadTimeout() {}

  static ReadTimeout with(Multiplexer trunk, Duration limit) {
    var timeout = new ReadTimeout();
    Thread.ofVirtual().name("nri-read-timeout").start(() -> timeout.watch(trunk, limit));
    return timeout;
  }

  private void watch(Multiplexer trunk, Duration limit) {
    try {
      if (!over.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        lost.set(true);
        trunk.close();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("the socket did not close well");
    }
  }

  /// Whether the connection was closed for that.
  boolean isLost() {
    return lost.get();
  }

  /// The other end has done its part.
  void end() {
    over.countDown();
  }

  @Override
  public void close() {
    end();
  }
}
