package dev.pitcrew.testbed.binaries;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/// One way to come by a program.
interface BinarySource {
  /// Tries this way only; never throws for a program that it cannot provide.
  Attempt obtain(Binary binary, Progress progress);

  /// Several programs of one module, for a source that is faster when it provides them together.
  default Map<Binary, Attempt> obtainAll(Batch batch, Progress progress) {
    var attempts = new EnumMap<Binary, Attempt>(Binary.class);
    batch.programs().forEach(binary -> attempts.put(binary, obtain(binary, progress)));
    return attempts;
  }

  /// What came of it.
  sealed interface Attempt {
    record Found(Path path) implements Attempt {}

    /// `reason` is one sentence that names the source and says what would help.
    record NotHere(String reason) implements Attempt {}
  }
}
