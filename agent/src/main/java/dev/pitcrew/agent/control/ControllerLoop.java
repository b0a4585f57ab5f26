package dev.pitcrew.agent.control;

import dev.pitcrew.core.ThreadEnd;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs one controller on a thread of its own, so that none waits for another's API server or disk:
///
/// 1. Wait until the controller's input changes, [#wake] is called, or the time is due that the
///    last reconcile returned.
/// 2. Reconcile with the latest input, unless it is empty.
/// 3. After an exception, log it and retry in five seconds.
public final class ControllerLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerLoop.class);
  private static final Duration AFTER_EXCEPTION = Duration.ofSeconds(5);

  private final LatestValue<?> input;
  private final Thread thread;

  private ControllerLoop(LatestValue<?> input, Thread thread) {
    this.input = input;
    this.thread = thread;
  }

  /// @param name of the thread, and in logs
  public static <S, I> ControllerLoop start(
      String name,
      StateStore<S> store,
      Function<S, Optional<I>> projection,
      Controller<I> controller) {
    LatestValue<Optional<I>> input = store.subscribe(projection);
    Thread thread = Thread.ofVirtual().name(name).unstarted(() -> run(name, input, controller));
    thread.start();
    return new ControllerLoop(input, thread);
  }

  /// Reconciles again, though the input has not changed.
  public void wake() {
    input.wake();
  }

  private static <I> void run(
      String name, LatestValue<Optional<I>> input, Controller<I> controller) {
    try {
      Duration pause = Controller.RESYNC;
      while (!Thread.currentThread().isInterrupted()) {
        Optional<I> latest = input.await(pause);
        pause = latest.isEmpty() ? Controller.RESYNC : reconcile(name, latest.get(), controller);
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("{} ends", name);
    }
  }

  private static <I> Duration reconcile(String name, I input, Controller<I> controller)
      throws InterruptedException {
    try {
      return controller.reconcile(input);
    } catch (RuntimeException e) {
      LOG.atError().addKeyValue("controller", name).setCause(e).log("reconcile failed; retrying");
      return AFTER_EXCEPTION;
    }
  }

  @Override
  public void close() {
    ThreadEnd.of(thread);
  }
}
