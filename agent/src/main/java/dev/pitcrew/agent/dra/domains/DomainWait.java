package dev.pitcrew.agent.dra.domains;

import dev.pitcrew.agent.dra.domains.plan.Domain;
import dev.pitcrew.agent.dra.domains.plan.DomainNode;
import dev.pitcrew.agent.dra.domains.plan.DomainReadiness;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/// Waits for nodes to be ready in a ComputeDomain, on behalf of claims. What it waits for, it
/// watches: the answer follows the daemon's report at once.
final class DomainWait {
  private final DomainObjects objects;
  private final Function<String, Optional<String>> label;

  /// Guards the fields below it.
  private final ReentrantLock lock = new ReentrantLock();

  private final Map<String, DomainSight> waiting = new HashMap<>();
  private final Map<String, Integer> leaving = new HashMap<>();

  sealed interface Outcome {
    record Ready() implements Outcome {}

    /// Another try has the same result.
    record Refused(String reason) implements Outcome {}

    /// The next try may succeed.
    record NotYet(String reason) implements Outcome {}
  }

  /// The claim is leaving while this is open: a wait for it ends, and none begins.
  final class Leaving implements AutoCloseable {
    private final String uid;

    private Leaving(String uid) {
      this.uid = uid;
    }

    @Override
    public void close() {
      lock.lock();
      try {
        leaving.computeIfPresent(uid, (_, count) -> count == 1 ? null : count - 1);
      } finally {
        lock.unlock();
      }
    }
  }

  /// @param label labels the Node for the domain with this UID, unless it has the label of another
  DomainWait(DomainObjects objects, Function<String, Optional<String>> label) {
    this.objects = objects;
    this.label = label;
  }

  /// @param uid of the claim, whose lock the caller has
  /// @param until of [System#nanoTime]
  Outcome ready(String uid, Domain domain, DomainNode node, long until) {
    Optional<String> problem = label.apply(domain.uid());
    if (problem.isPresent()) {
      return new Outcome.NotYet(problem.get());
    }
    try (var sight = objects.follow(domain, node.clique())) {
      begin(uid, sight);
      return await(sight, domain, node, until);
    } finally {
      end(uid);
    }
  }

  private Outcome await(DomainSight sight, Domain domain, DomainNode node, long until) {
    while (true) {
      DomainReadiness.Seen seen = sight.seen();
      String reason = "";
      switch (DomainReadiness.of(seen, domain, node)) {
        case DomainReadiness.Ready() -> {
          return new Outcome.Ready();
        }
        case DomainReadiness.Gone(var gone) -> {
          return new Outcome.Refused(gone);
        }
        case DomainReadiness.Unlabelled() -> {
          Optional<String> problem = label.apply(domain.uid());
          if (problem.isPresent()) {
            return new Outcome.NotYet(problem.get());
          }
          reason = "the label of node %s is not seen yet".formatted(node.node());
        }
        case DomainReadiness.Waiting(var waiting) -> reason = waiting;
      }
      if (!sight.await(seen, until)) {
        return new Outcome.NotYet(reason);
      }
    }
  }

  private void begin(String uid, DomainSight sight) {
    lock.lock();
    try {
      waiting.put(uid, sight);
      if (leaving.containsKey(uid)) {
        sight.cancel();
      }
    } finally {
      lock.unlock();
    }
  }

  private void end(String uid) {
    lock.lock();
    try {
      waiting.remove(uid);
    } finally {
      lock.unlock();
    }
  }

  /// The claim is to be unprepared.
  Leaving leave(String uid) {
    lock.lock();
    try {
      leaving.merge(uid, 1, Integer::sum);
      Optional.ofNullable(waiting.get(uid)).ifPresent(DomainSight::cancel);
    } finally {
      lock.unlock();
    }
    return new Leaving(uid);
  }
}
