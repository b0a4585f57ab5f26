package dev.pitcrew.testbed.binaries;

import dev.pitcrew.testbed.TestbedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/// Finds programs, and makes those together that are nowhere.
///
/// @param makers ways to make one, in the order in which they are tried
record BinaryMaker(
    BinarySource installed, BinaryCache cache, List<BinarySource> makers, Progress progress) {
  BinaryMaker {
    makers = List.copyOf(makers);
  }

  /// @throws TestbedException if one of them cannot be had; the message lists all ways that failed
  Map<Binary, Path> obtainAll(Collection<Binary> wanted) {
    var search = new BinarySearch(wanted);
    search.ask(installed, progress);
    search.ask(cache, progress);
    var batches = Batch.of(search.missing());
    announce(batches);
    batches.forEach(batch -> make(batch, search));
    return search.found();
  }

  private void announce(List<Batch> batches) {
    if (batches.isEmpty()) {
      return;
    }
    var usual =
        batches.stream()
            .map(batch -> batch.module().usualBuildTime())
            .reduce(Duration.ZERO, Duration::plus);
    progress.line(
        "%d missing, to be made once; a build with Go takes up to %s on two idle cores"
            .formatted(batches.getFirst().total(), Progress.words(usual)));
  }

  private void make(Batch batch, BinarySearch search) {
    var lines = progress.under(batch.heading());
    try (var _ = cache.lock(batch.module(), lines)) {
      // Another run may have made them while this one waited for the lock.
      search.ask(cache, batch, lines);
      makers.forEach(maker -> search.ask(maker, batch, lines));
    }
    search.requireAll(batch);
  }
}
