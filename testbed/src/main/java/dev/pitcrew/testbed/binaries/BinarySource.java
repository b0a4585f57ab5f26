package dev.pitcrew.testbed.binaries;

import java.nio.file.Path;

/// One way to come by a program.
interface BinarySource {
  /// Tries this way only; never throws for a program that it cannot provide.
  Attempt obtain(Binary binary, Progress progress);

  /// What came of it.
  sealed interface Attempt {
    record Found(Path path) implements Attempt {}

    /// `reason` is one sentence that names the source and says what would help.
    record NotHere(String reason) implements Attempt {}
  }
}
