package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.queue.QueueOptions;
import dev.pitcrew.kube.queue.WorkQueue;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Asks pods to go, and asks those that were refused again after a while: no event reports that a
/// disruption budget allows more. It is done beside the plans: the API server holds the answer back
/// for half a second and more when two pods of one budget are to go at the same time, and no other
/// node should wait for that. A new operator asks all of them at once, and no harm is done.
final class EvictionAttempts implements Asked, AutoCloseable {
  private static final int WORKERS = 8;
  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30));

  /// A pod whose eviction was granted and that is still there is evicted again after this time.
  private static final Duration UNHEARD = Duration.ofSeconds(30);

  /// @param live the pod as it is when it is asked
  private record Request(PodToEvict pod, Supplier<Optional<Pod>> live, String why) {}

  private record Attempt(int number, Instant next, Optional<String> refusal) {
    private static final Attempt NONE = new Attempt(0, Instant.EPOCH, Optional.empty());
  }

  private final Evictions evictions;
  private final InstantSource clock;
  private final Consumer<String> answered;
  private final Map<String, Request> requests = new ConcurrentHashMap<>();
  private final Map<String, Attempt> attempts = new ConcurrentHashMap<>();
  private final Set<String> nodes = ConcurrentHashMap.newKeySet();
  private final WorkQueue<String> queue;

  /// @param answered called after each answer, with the node of the pod
  EvictionAttempts(Evictions evictions, InstantSource clock, Consumer<String> answered) {
    this.evictions = evictions;
    this.clock = clock;
    this.answered = answered;
    this.queue =
        new WorkQueue<>(QueueOptions.named("driver-upgrade-evictions", WORKERS), this::ask).start();
  }

  @Override
  public Optional<String> refusal(String uid) {
    return last(uid).refusal();
  }

  @Override
  public boolean isAsked(String node) {
    return nodes.contains(node);
  }

  /// Notes whether the pods of a node were asked, as far as they are not ending anyway.
  void asked(String node, boolean value) {
    if (value) {
      nodes.add(node);
    } else {
      nodes.remove(node);
    }
  }

  /// Evicts a pod, unless its eviction was requested lately.
  ///
  /// @param live the pod of this name as it is now
  void evict(PodToEvict pod, Supplier<Optional<Pod>> live, String why) {
    if (!clock.instant().isBefore(last(pod.uid()).next())
        && requests.putIfAbsent(pod.uid(), new Request(pod, live, why)) == null) {
      queue.add(pod.uid());
    }
  }

  /// When the next of them is asked again. A pod whose time had come before the pass and that was
  /// not asked is terminating, and its deletion is an event. One whose time comes during the pass
  /// may have been looked at before that.
  ///
  /// @param begun when the pass began
  Optional<Instant> next(Instant begun) {
    return attempts.values().stream()
        .map(Attempt::next)
        .filter(begun::isBefore)
        .min(Comparator.naturalOrder());
  }

  /// Forgets all nodes but these.
  void keepNodes(Set<String> names) {
    nodes.retainAll(names);
  }

  /// Forgets all but these, also those who were to be asked.
  void keep(Set<String> uids) {
    requests.keySet().retainAll(uids);
    attempts.keySet().retainAll(uids);
  }

  @Override
  public void close() {
    queue.close();
  }

  private Attempt last(String uid) {
    return attempts.getOrDefault(uid, Attempt.NONE);
  }

  private Outcome ask(String uid) {
    @Nullable Request request = requests.get(uid);
    if (request == null) {
      return Outcome.done();
    }
    EvictionOutcome outcome = evictions.evict(request.pod(), request.live().get(), request.why());
    int number = last(uid).number() + 1;
    Duration pause = outcome.blocker().isPresent() ? PAUSES.ceiling(number) : UNHEARD;
    attempts.put(uid, new Attempt(number, clock.instant().plus(pause), outcome.blocker()));
    requests.remove(uid);
    answered.accept(request.pod().node());
    return Outcome.done();
  }
}
