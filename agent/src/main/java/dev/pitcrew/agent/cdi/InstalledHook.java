package dev.pitcrew.agent.cdi;

import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Keeps the agent's CDI hook on the host: a file may go, and a mount may forbid or allow it
/// meanwhile.
public final class InstalledHook {
  private final Supplier<CdiHook> install;
  private final Consumer<Optional<String>> problems;
  private final ReentrantLock lock = new ReentrantLock();
  private CdiHook last;

  /// @param install brings the program to the host, or finds why it cannot be
  /// @param problems receives why the program cannot run; empty where it can
  public InstalledHook(Supplier<CdiHook> install, Consumer<Optional<String>> problems) {
    this.install = install;
    this.problems = problems;
    this.last = install.get();
  }

  /// As it is now.
  public CdiHook now() {
    lock.lock();
    try {
      if (!last.stands()) {
        last = install.get();
      }
      problems.accept(last.problem());
      return last;
    } finally {
      lock.unlock();
    }
  }
}
