package dev.pitcrew.agent.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// A runtime that runs.
public interface RuntimeDaemon {
  /// Why a runtime is not as it is to be.
  ///
  /// @param why in plain words
  record RestartFailure(Kind kind, String why) {
    /// What it says of the files that the runtime was to read.
    public enum Kind {
      /// Nothing: it was not seen to read them.
      NOT_RESTARTED,
      /// Maybe that it does not start with them, maybe that the node is slow.
      NO_ANSWER,
      /// It has read them and knows no handler of them.
      WITHOUT_HANDLERS
    }
  }

  /// Has it read its files again. Returns once the one that had read the former ones is gone.
  ///
  /// @return why that could not be done
  Optional<RestartFailure> restart() throws InterruptedException;

  /// Waits until it answers and knows these handlers.
  ///
  /// @return why it does not; empty if it does, or answers without reporting handlers
  Optional<RestartFailure> missing(List<String> handlers, Duration limit)
      throws InterruptedException;
}
