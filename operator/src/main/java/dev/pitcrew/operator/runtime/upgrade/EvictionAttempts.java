package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.operator.eviction.EvictionOutcome;
import dev.pitcrew.operator.eviction.PodToEvict;
import dev.pitcrew.operator.runtime.eviction.Evictions;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Which pods were asked to go, and when those that were refused are asked again: nobody tells when
/// a disruption budget allows more. A new operator asks them all at once, and no harm is done.
///
/// For use by one thread at a time for each pod.
final class EvictionAttempts {
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));

  /// A pod that was let go and yet lives on is asked again after this time.
  private static final Duration UNHEARD = Duration.ofSeconds(30);

  private record Attempt(int number, Instant next, Optional<String> refusal) {}

  private final Evictions evictions;
  private final InstantSource clock;
  private final Map<String, Attempt> attempts = new ConcurrentHashMap<>();

  EvictionAttempts(Evictions evictions, InstantSource clock) {
    this.evictions = evictions;
    this.clock = clock;
  }

  /// Why the pod with this uid did not go the last time.
  Optional<String> refusal(String uid) {
    return Optional.ofNullable(attempts.get(uid)).flatMap(Attempt::refusal);
  }

  /// Asks a pod to go, unless it was asked lately.
  ///
  /// @param live the pod of this name as it is now
  /// @return whether there is a new refusal to tell
  boolean evict(PodToEvict pod, Optional<Pod> live, String why) {
    Instant now = clock.instant();
    @Nullable Attempt last = attempts.get(pod.uid());
    if (last != null && now.isBefore(last.next())) {
      return false;
    }
    EvictionOutcome outcome = evictions.evict(pod, live, why);
    int number = last == null ? 1 : last.number() + 1;
    Duration pause = outcome.blocker().isPresent() ? PAUSES.ceiling(number) : UNHEARD;
    attempts.put(pod.uid(), new Attempt(number, now.plus(pause), outcome.blocker()));
    return !outcome.blocker().equals(last == null ? Optional.empty() : last.refusal());
  }

  /// When the next of them is asked again. A pod whose time has come and that was not asked is
  /// ending, which its own end tells.
  Optional<Instant> next() {
    return attempts.values().stream()
        .map(Attempt::next)
        .filter(clock.instant()::isBefore)
        .min(Comparator.naturalOrder());
  }

  /// Forgets all but these.
  void keep(Set<String> uids) {
    attempts.keySet().retainAll(uids);
  }
}
