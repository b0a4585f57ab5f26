package dev.pitcrew.agent.process;

import dev.pitcrew.core.ThreadEnd;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs one concern on a thread of its own, so that none waits for another's API server or disk.
final class ControllerLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);
  private static final Duration AFTER_A_FAULT = Duration.ofSeconds(5);

  private final String name;
  private final StateStore board;
  private final LatestValue<NodeState> news;
  private final Controller concern;
  private final Thread thread;

  private ControllerLoop(String name, StateStore board, Controller concern) {
    this.name = name;
    this.board = board;
    this.news = board.reader();
    this.concern = concern;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  static ControllerLoop start(String name, StateStore board, Controller concern) {
    var loop = new ControllerLoop(name, board, concern);
    loop.thread.start();
    return loop;
  }

  /// Asks the concern again, though nothing on the board has changed.
  void wake() {
    news.tell(board.now());
  }

  private void run() {
    try {
      NodeState known = NodeState.UNKNOWN;
      Duration pause = Controller.SETTLED;
      while (!Thread.currentThread().isInterrupted()) {
        known = news.take(pause).orElse(known);
        pause = act(known);
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("{} ends", name);
    }
  }

  /// A fault of one round must not end the concern for good.
  private Duration act(NodeState situation) throws InterruptedException {
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
