package dev.pitcrew.agent.command;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Signals long-running commands to reload their configuration (SIGHUP).
public final class ReloadSignal {
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  public void raise() {
    listeners.forEach(Runnable::run);
  }

  /// @param listener called on any thread, and not to be kept waiting
  void whenRaised(Runnable listener) {
    listeners.add(listener);
  }
}
