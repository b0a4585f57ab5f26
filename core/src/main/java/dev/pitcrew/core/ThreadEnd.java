package dev.pitcrew.core;

/// How the code that started a thread ends it.
public final class ThreadEnd {
  private ThreadEnd() {}

  /// Interrupts a thread and returns when it is gone, so that its resources may be opened again. An
  /// interrupt of the caller meanwhile is kept; it does not make the caller return earlier.
  public static void of(Thread thread) {
    thread.interrupt();
    boolean isInterrupted = false;
    // A thread cannot wait for itself.
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
