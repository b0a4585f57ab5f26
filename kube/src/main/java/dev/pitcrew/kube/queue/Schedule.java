package dev.pitcrew.kube.queue;

import dev.pitcrew.core.Outcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The rules of a [WorkQueue] without its threads: which key is due at a given moment. Not safe for
/// use by many threads.
///
/// Moments are the time since the queue was made, by a clock that is never set: a node whose wall
/// clock is set back would otherwise put off every wait, and one set forward would end them all.
///
/// A key is in at most one of three places: due, waiting for a moment, or in work. A key that is
/// added while in work becomes due when that work ends. Work on a key cancels its wait, as it sees
/// all that the wait was for.
final class Schedule<K> {

  private final QueueOptions options;
  private final Map<K, Duration> dueSince = new LinkedHashMap<>();
  private final Map<K, Duration> waitingUntil = new HashMap<>();
  private final TreeMap<Duration, Set<K>> waits = new TreeMap<>();
  private final Set<K> working = new HashSet<>();
  private final Set<K> addedMeanwhile = new HashSet<>();
  private final Map<K, Integer> failures = new HashMap<>();

  Schedule(QueueOptions options) {
    this.options = options;
  }

  void add(K key, Duration now) {
    if (working.contains(key)) {
      addedMeanwhile.add(key);
      return;
    }
    stopWaiting(key);
    dueSince.putIfAbsent(key, now);
    options.metrics().depth(dueSince.size());
  }

  /// Makes the key due at `moment`, unless it is due already or will be sooner.
  void addAt(K key, Duration moment) {
    @Nullable Duration before = waitingUntil.get(key);
    if (dueSince.containsKey(key)
        || addedMeanwhile.contains(key)
        || (before != null && moment.compareTo(before) >= 0)) {
      return;
    }
    stopWaiting(key);
    waitingUntil.put(key, moment);
    waits.computeIfAbsent(moment, _ -> new HashSet<>()).add(key);
  }

  /// The key that has been due longest, which is in work from now on.
  Optional<K> take(Duration now) {
    wakeAll(now);
    Optional<K> first = dueSince.keySet().stream().findFirst();
    first.ifPresent(key -> begin(key, now));
    return first;
  }

  /// Ends the work on a key with its outcome.
  void end(K key, Outcome outcome, Duration now) {
    working.remove(key);
    settle(key, outcome, now);
    if (addedMeanwhile.remove(key)) {
      add(key, now);
    }
  }

  /// When the next key will be due, if none is yet.
  Optional<Duration> nextWake() {
    return waits.isEmpty() ? Optional.empty() : Optional.of(waits.firstKey());
  }

  private void settle(K key, Outcome outcome, Duration now) {
    switch (outcome) {
      case Outcome.Done() -> failures.remove(key);
      case Outcome.Blocked _ -> failures.remove(key);
      case Outcome.Wait(Duration delay, _) -> {
        failures.remove(key);
        addAt(key, now.plus(delay));
      }
      case Outcome.Failed _ -> {
        options.metrics().retried();
        int attempt = failures.merge(key, 1, Integer::sum);
        addAt(key, now.plus(options.backoff().delay(attempt, options.random())));
      }
    }
  }

  private void begin(K key, Duration now) {
    Duration since = dueSince.remove(key);
    working.add(key);
    options.metrics().depth(dueSince.size());
    options.metrics().waited(now.minus(since));
  }

  private void wakeAll(Duration now) {
    while (!waits.isEmpty() && waits.firstKey().compareTo(now) <= 0) {
      Duration moment = waits.firstKey();
      List.copyOf(waits.firstEntry().getValue()).forEach(key -> wake(key, moment));
    }
  }

  private void wake(K key, Duration moment) {
    stopWaiting(key);
    add(key, moment);
  }

  private void stopWaiting(K key) {
    @Nullable Duration moment = waitingUntil.remove(key);
    if (moment == null) {
      return;
    }
    waits.computeIfPresent(
        moment,
        (_, keys) -> {
          keys.remove(key);
          return keys.isEmpty() ? null : keys;
        });
  }
}
