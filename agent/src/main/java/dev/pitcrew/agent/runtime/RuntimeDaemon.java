package dev.pitcrew.agent.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A runtime that runs.
public interface RuntimeDaemon {
  /// Has it read its files again. Returns once the one that had read the former ones is gone.
  ///
  /// @return why that could not be done
  Optional<String> restart() throws InterruptedException;

  /// Waits until it answers and knows these handlers.
  ///
  /// @return why it does not; empty if it does, or answers and tells nothing of handlers
  Optional<String> missing(List<String> handlers, Duration limit) throws InterruptedException;
}
