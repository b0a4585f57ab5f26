package dev.pitcrew.agent.process;

import dev.pitcrew.core.ThreadEnd;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs one concern on a thread of its own, so that none waits for another's API server or disk.
final class ConcernLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ConcernLoop.class);
  private static final Duration AFTER_A_FAULT = Duration.ofSeconds(5);

  private final String name;
  private final Board board;
  private final Newest<Situation> news;
  private final Concern concern;
  private final Thread thread;

  private ConcernLoop(String name, Board board, Concern concern) {
    this.name = name;
    this.board = board;
    this.news = board.reader();
    this.concern = concern;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  static ConcernLoop start(String name, Board board, Concern concern) {
    var loop = new ConcernLoop(name, board, concern);
    loop.thread.start();
    return loop;
  }

  /// Asks the concern again, though nothing on the board has changed.
  void wake() {
    news.tell(board.now());
  }

  private void run() {
    try {
      Situation known = Situation.UNKNOWN;
      Duration pause = Concern.SETTLED;
      while (!Thread.currentThread().isInterrupted()) {
        known = news.take(pause).orElse(known);
        pause = act(known);
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("{} ends", name);
    }
  }

  /// A fault of one round must not end the concern for good.
  private Duration act(Situation situation) throws InterruptedException {
    try {
      return concern.act(situation);
    } catch (RuntimeException e) {
      LOG.atError().addKeyValue("concern", name).setCause(e).log("a step failed; trying again");
      return AFTER_A_FAULT;
    }
  }

  @Override
  public void close() {
    ThreadEnd.of(thread);
  }
}
