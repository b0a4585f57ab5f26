package dev.pitcrew.agent.process;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// Keeps the agent's CDI hook on the host: a file may go, and a mount may forbid or allow it
/// meanwhile.
final class InstalledHook {
  private final Supplier<CdiHook> install;
  private final StateStore board;
  private final ReentrantLock lock = new ReentrantLock();
  private CdiHook last;

  /// @param install brings the program to the host, or finds why it cannot be
  InstalledHook(Supplier<CdiHook> install, StateStore board) {
    this.install = install;
    this.board = board;
    this.last = install.get();
  }

  /// As it stands now, which goes onto the board.
  CdiHook now() {
    lock.lock();
    try {
      if (!last.stands()) {
        last = install.get();
      }
      board.change(now -> now.withHookTrouble(last.trouble()));
      return last;
    } finally {
      lock.unlock();
    }
  }
}
