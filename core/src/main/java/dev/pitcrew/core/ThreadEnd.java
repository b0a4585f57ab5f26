package dev.pitcrew.core;

/// How a thread is ended by whoever has started it.
public final class ThreadEnd {
  private ThreadEnd() {}

  /// Interrupts a thread and returns when it is gone, so that whatever it had may be opened anew.
  /// An interrupt of the caller meanwhile is kept for him; it does not make him go on before.
  public static void of(Thread thread) {
    thread.interrupt();
    boolean isInterrupted = false;
    // Nobody can wait for himself.
    while (thread.isAlive() && !thread.equals(Thread.currentThread())) {
      try {
        thread.join();
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
