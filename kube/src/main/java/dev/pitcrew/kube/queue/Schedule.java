package dev.pitcrew.kube.queue;

import dev.pitcrew.core.Outcome;
import java.time.Duration;
import java.time.Instant;
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
/// A key is in at most one of three places: due, waiting for a moment, or in work. A key that is
/// added while in work becomes due when that work ends. Work on a key cancels its wait, as it sees
/// all that the wait was for.
final class Schedule<K> {

  private final QueueOptions options;
  private final Map<K, Instant> dueSince = new LinkedHashMap<>();
  private final Map<K, Instant> waitingUntil = new HashMap<>();
  private final TreeMap<Instant, Set<K>> waits = new TreeMap<>();
  private final Set<K> working = new HashSet<>();
  private final Set<K> addedMeanwhile = new HashSet<>();
  private final Map<K, Integer> failures = new HashMap<>();

  Schedule(QueueOptions options) {
    this.options = options;
  }

  void add(K key, Instant now) {
    if (working.contains(key)) {
      addedMeanwhile.add(key);
      return;
    }
    stopWaiting(key);
    dueSince.putIfAbsent(key, now);
    options.metrics().depth(dueSince.size());
  }

  /// Makes the key due at `moment`, unless it is due already or will be sooner.
  void addAt(K key, Instant moment) {
    @Nullable Instant before = waitingUntil.get(key);
    if (dueSince.containsKey(key)
        || addedMeanwhile.contains(key)
        || (before != null && !moment.isBefore(before))) {
      return;
    }
    stopWaiting(key);
    waitingUntil.put(key, moment);
    waits.computeIfAbsent(moment, _ -> new HashSet<>()).add(key);
  }

  /// The key that has been due longest, which is in work from now on.
  Optional<K> take(Instant now) {
    wakeAll(now);
    Optional<K> first = dueSince.keySet().stream().findFirst();
    first.ifPresent(key -> begin(key, now));
    return first;
  }

  /// Ends the work on a key with its outcome.
  void end(K key, Outcome outcome, Instant now) {
    working.remove(key);
    settle(key, outcome, now);
    if (addedMeanwhile.remove(key)) {
      add(key, now);
    }
  }

  /// When the next key will be due, if none is yet.
  Optional<Instant> nextWake() {
    return waits.isEmpty() ? Optional.empty() : Optional.of(waits.firstKey());
  }

  private void settle(K key, Outcome outcome, Instant now) {
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

  private void begin(K key, Instant now) {
    Instant since = dueSince.remove(key);
    working.add(key);
    options.metrics().depth(dueSince.size());
    options.metrics().waited(Duration.between(since, now));
  }

  private void wakeAll(Instant now) {
    while (!waits.isEmpty() && !waits.firstKey().isAfter(now)) {
      Instant moment = waits.firstKey();
      List.copyOf(waits.firstEntry().getValue()).forEach(key -> wake(key, moment));
    }
  }

  private void wake(K key, Instant moment) {
    stopWaiting(key);
    add(key, moment);
  }

  private void stopWaiting(K key) {
    @Nullable Instant moment = waitingUntil.remove(key);
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
