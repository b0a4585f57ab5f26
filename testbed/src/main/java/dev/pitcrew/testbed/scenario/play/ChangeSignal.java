package dev.pitcrew.testbed.scenario.play;

import dev.pitcrew.testbed.scenario.api.ApiServer;
import dev.pitcrew.testbed.scenario.facts.RecordedKind;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/// Reports when an object of a recorded kind last changed in any way, by watching all of them.
///
/// More than what becomes a fact counts on purpose: a status that moves announces further writes.
final class ChangeSignal implements AutoCloseable {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();
  private final List<SharedIndexInformer<GenericKubernetesResource>> informers = new ArrayList<>();
  private final List<SharedIndexInformer<GenericKubernetesResource>> optional = new ArrayList<>();
  private long lastChangeNanos = System.nanoTime();

  /// Watches all kinds that the server serves now, namespaced ones in `namespace`.
  static ChangeSignal watching(ApiServer api, String namespace) {
    var signal = new ChangeSignal();
    signal.watch(api, namespace, false);
    signal.watch(api, namespace, true);
    return signal;
  }

  /// Begins to count from now. Kinds that a definition brings may have come or gone since, and are
  /// watched from the beginning; the others go on.
  void restart(ApiServer api, String namespace) {
    optional.forEach(SharedIndexInformer::close);
    optional.clear();
    watch(api, namespace, true);
    mark();
  }

  private void watch(ApiServer api, String namespace, boolean isOptional) {
    for (var kind : RecordedKind.values()) {
      if (kind.isDefined() == isOptional && api.serves(kind.path(namespace))) {
        inform(api, kind, namespace).ifPresent((isOptional ? optional : informers)::add);
      }
    }
  }

  /// Empty for a kind that the server has stopped to serve since it was asked: it takes a moment
  /// after the removal of a definition.
  private Optional<SharedIndexInformer<GenericKubernetesResource>> inform(
      ApiServer api, RecordedKind kind, String namespace) {
    var objects = api.client().genericKubernetesResources(context(kind));
    try {
      return Optional.of(
          kind.isNamespaced()
              ? objects.inNamespace(namespace).inform(new Marker())
              : objects.inform(new Marker()));
    } catch (KubernetesClientException e) {
      if (kind.isDefined() && e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static ResourceDefinitionContext context(RecordedKind kind) {
    var slash = kind.apiVersion().indexOf('/');
    return new ResourceDefinitionContext.Builder()
        .withGroup(slash < 0 ? "" : kind.apiVersion().substring(0, slash))
        .withVersion(kind.apiVersion().substring(slash + 1))
        .withKind(kind.kind())
        .withPlural(kind.plural())
        .withNamespaced(kind.isNamespaced())
        .build();
  }

  /// Notes a change.
  void mark() {
    lock.lock();
    try {
      lastChangeNanos = System.nanoTime();
      change.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until nothing has changed for a time.
  ///
  /// @return whether that was reached before the deadline
  boolean awaitQuiet(Duration quiet, Deadline deadline) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      for (var left = leftNanos(quiet); left > 0; left = leftNanos(quiet)) {
        if (deadline.isOver()) {
          return false;
        }
        change.await(Math.min(left, deadline.leftNanos()), TimeUnit.NANOSECONDS);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Waits for the next change, at most for a time.
  void awaitChange(Duration limit) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      var seen = lastChangeNanos;
      var left = limit.toNanos();
      while (seen == lastChangeNanos && left > 0) {
        left = change.awaitNanos(left);
      }
    } finally {
      lock.unlock();
    }
  }

  private long leftNanos(Duration quiet) {
    return lastChangeNanos + quiet.toNanos() - System.nanoTime();
  }

  @Override
  public void close() {
    informers.forEach(SharedIndexInformer::close);
    optional.forEach(SharedIndexInformer::close);
  }

  private final class Marker implements ResourceEventHandler<GenericKubernetesResource> {
    @Override
    public void onAdd(GenericKubernetesResource added) {
      mark();
    }

    @Override
    public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource after) {
      mark();
    }

    @Override
    public void onDelete(GenericKubernetesResource deleted, boolean isStateUnknown) {
      mark();
    }
  }
}
