package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.kube.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Back-off for contested objects, which another writer changes after each of our writes. Without
/// it both write as fast as the API server answers.
///
/// 1. An object is written at once, and reapplied at once three times.
/// 2. Each further write of the same content waits 1, 2, 4, … 30 s after the last one.
/// 3. Other content is written at once and resets the count, as do ten minutes without a write.
/// 4. A write that changed nothing is no contest. Such writes come after late events: a watch shows
///    a deletion after the object was created again.
///
/// For use by many threads.
final class Contention {
  private static final int AT_ONCE = 4;
  private static final Duration CALM = Duration.ofMinutes(10);
  private static final Duration BETWEEN_CLEANUPS = Duration.ofMinutes(1);
  private static final Backoff PAUSES =
      new Backoff(Duration.ofSeconds(1), ApplyFailures.RETRY_REFUSED);

  /// @param content the hash of what was written
  /// @param version the object's resourceVersion after the last write
  private record Written(int content, String version, int times, Instant last) {
    boolean isCalm(Instant now) {
      return Duration.between(last, now).compareTo(CALM) > 0;
    }
  }

  private final InstantSource clock;
  private final Map<ObjectKey, Written> written = new ConcurrentHashMap<>();
  private volatile Instant nextCleanup = Instant.EPOCH;

  Contention(InstantSource clock) {
    this.clock = clock;
  }

  /// Until when an object is not to be written with this content, if that is later than now.
  Optional<Instant> heldUntil(ObjectKey key, Object content) {
    return Optional.ofNullable(written.get(key))
        .filter(it -> it.times() >= AT_ONCE && it.content() == content.hashCode())
        .map(it -> it.last().plus(PAUSES.ceiling(it.times() - AT_ONCE + 1)))
        .filter(clock.instant()::isBefore);
  }

  /// Resets the count: the operator itself has deleted the object, and writing it again is no
  /// contest.
  void forget(ObjectKey key) {
    written.remove(key);
  }

  /// The object was written, and has this resourceVersion since.
  void wrote(ObjectKey key, Object content, String version) {
    Instant now = clock.instant();
    int hash = content.hashCode();
    written.compute(
        key,
        (_, before) -> {
          if (before == null || before.content() != hash || before.isCalm(now)) {
            return new Written(hash, version, 1, now);
          }
          return before.version().equals(version)
              ? before
              : new Written(hash, version, before.times() + 1, now);
        });
    if (now.isAfter(nextCleanup)) {
      nextCleanup = now.plus(BETWEEN_CLEANUPS);
      written.values().removeIf(it -> it.isCalm(now));
    }
  }
}
