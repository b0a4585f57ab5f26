package dev.pitcrew.agent.state;

import java.util.Optional;

/// Receives whether a file of the state folder could be written.
@FunctionalInterface
public interface FileReports {
  /// @param problem why the file could not be written; empty where it is there
  void report(String file, Optional<String> problem);
}
