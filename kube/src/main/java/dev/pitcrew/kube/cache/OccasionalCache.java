package dev.pitcrew.kube.cache;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A [Cache] that exists only while a caller needs it. In between, nothing is watched and nothing
/// is held.
///
/// Safe for use by many threads.
public final class OccasionalCache<T extends HasMetadata> implements AutoCloseable {
  private final Supplier<Cache<T>> make;
  private final Consumer<Change<T>> listener;
  private final AtomicReference<@Nullable Cache<T>> cache = new AtomicReference<>();

  /// Watches nothing yet.
  ///
  /// @param make gives a new cache, not started
  /// @param listener hears of every change, as [Cache#listen] says
  public OccasionalCache(Supplier<Cache<T>> make, Consumer<Change<T>> listener) {
    this.make = make;
    this.listener = listener;
  }

  /// Watches for as long as `wanted` is true.
  public void watchWhile(boolean wanted) {
    if (!wanted) {
      close();
    } else if (cache.get() == null) {
      Cache<T> started = make.get();
      if (cache.compareAndSet(null, started)) {
        started.listen(listener);
        started.start();
      }
    }
  }

  /// What is watched now; empty while the cache is not needed.
  public Optional<Cache<T>> now() {
    return Optional.ofNullable(cache.get());
  }

  /// Ends the watch, and gives what it had seen last.
  public Optional<Cache<T>> end() {
    Optional<Cache<T>> ended = Optional.ofNullable(cache.getAndSet(null));
    ended.ifPresent(Cache::close);
    return ended;
  }

  @Override
  public void close() {
    end();
  }
}
