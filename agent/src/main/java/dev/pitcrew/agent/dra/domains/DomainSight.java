package dev.pitcrew.agent.dra.domains;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.ObjectWatch;
import dev.pitcrew.agent.cluster.WatchedObject;
import dev.pitcrew.agent.dra.domains.plan.Domain;
import dev.pitcrew.agent.dra.domains.plan.DomainReadiness.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;

/// Follows the objects that a claim waits for, while it waits: nodes without such a claim send no
/// request.
final class DomainSight implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();
  private final List<ObjectWatch> watches = new ArrayList<>();
  private Seen seen = Seen.NOTHING;
  private boolean isCancelled;

  private DomainSight() {}

  /// @param clique that the node is in; the clique's object lies in the namespace of the
  ///   controller, which is not known here, and its name says the domain
  static DomainSight follow(
      ApiServer server, ObjectPath node, Domain domain, Optional<String> clique) {
    var sight = new DomainSight();
    sight.watch(server, node, (now, it) -> new Seen(Optional.of(it), now.domain(), now.clique()));
    sight.watch(
        server,
        DomainObjects.path(domain),
        (now, it) -> new Seen(now.node(), Optional.of(it), now.clique()));
    clique.ifPresent(id ->
        sight.watch(
            server,
            DomainObjects.clique(domain, id),
            (now, it) -> new Seen(now.node(), now.domain(), Optional.of(it))));
    return sight;
  }

  private void watch(ApiServer server, ObjectPath path, BiFunction<Seen, JsonNode, Seen> change) {
    watches.add(ObjectWatch.start(server, path, found -> changed(found, change)));
  }

  private void changed(WatchedObject found, BiFunction<Seen, JsonNode, Seen> change) {
    JsonNode object =
        switch (found) {
          case WatchedObject.Present(var present) -> present;
          case WatchedObject.Absent() -> MissingNode.getInstance();
        };
    lock.lock();
    try {
      seen = change.apply(seen, object);
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  Seen seen() {
    lock.lock();
    try {
      return seen;
    } finally {
      lock.unlock();
    }
  }

  /// Waits for something else to be seen than what is known.
  ///
  /// @param until of [System#nanoTime]
  /// @return whether there is; false at that time, and once the wait was cancelled
  boolean await(Seen known, long until) {
    lock.lock();
    try {
      while (seen.equals(known) && !isCancelled) {
        long left = until - System.nanoTime();
        if (left <= 0 || news.awaitNanos(left) <= 0) {
          return false;
        }
      }
      return !isCancelled;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      lock.unlock();
    }
  }

  /// The claim is not needed any longer.
  void cancel() {
    lock.lock();
    try {
      isCancelled = true;
      news.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    watches.forEach(ObjectWatch::close);
  }
}
