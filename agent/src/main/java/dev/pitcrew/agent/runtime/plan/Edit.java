package dev.pitcrew.agent.runtime.plan;

import java.util.Optional;

/// A file that is to have another content.
///
/// @param before empty where there is no file
/// @param after empty where there is to be none
public record Edit(String path, Optional<String> before, Optional<String> after) {
  static Optional<Edit> of(String path, Optional<String> before, Optional<String> after) {
    return before.equals(after) ? Optional.empty() : Optional.of(new Edit(path, before, after));
  }
}
