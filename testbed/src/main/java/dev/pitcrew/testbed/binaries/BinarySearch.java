package dev.pitcrew.testbed.binaries;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.BinarySource.Attempt;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/// One search for several programs: where those are that were found, and why others were not.
final class BinarySearch {
  private final Map<Binary, Path> found = new EnumMap<>(Binary.class);

  /// Sets, because the cache is asked twice.
  private final Map<Binary, Set<String>> reasons = new EnumMap<>(Binary.class);

  private final Set<Binary> missing = EnumSet.noneOf(Binary.class);

  BinarySearch(Collection<Binary> wanted) {
    missing.addAll(wanted);
  }

  Map<Binary, Path> found() {
    return found;
  }

  Set<Binary> missing() {
    return EnumSet.copyOf(missing);
  }

  void ask(BinarySource source, Progress progress) {
    missing().forEach(binary -> note(binary, source.obtain(binary, progress)));
  }

  /// Asks only for what of `batch` is missing.
  void ask(BinarySource source, Batch batch, Progress progress) {
    var rest = missing();
    rest.retainAll(batch.programs());
    if (!rest.isEmpty()) {
      source.obtainAll(batch.with(rest), progress).forEach(this::note);
    }
  }

  /// @throws TestbedException if one is missing; it names each way that failed
  void requireAll(Batch batch) {
    for (var binary : batch.programs()) {
      if (missing.contains(binary)) {
        throw unavailable(binary);
      }
    }
  }

  private void note(Binary binary, Attempt attempt) {
    switch (attempt) {
      case Attempt.Found(var path) -> {
        found.put(binary, path);
        missing.remove(binary);
      }
      case Attempt.NotHere(var reason) ->
          reasons.computeIfAbsent(binary, _ -> new LinkedHashSet<>()).add(reason);
    }
  }

  private TestbedException unavailable(Binary binary) {
    var ways = reasons.getOrDefault(binary, Set.of());
    return new TestbedException(
        "no %s %s:\n  - %s"
            .formatted(binary.command(), binary.version(), String.join("\n  - ", ways)));
  }
}
