package dev.pitcrew.kube.apply;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.client.Deadline;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;

/// The one gate that every write of a process goes through: it bounds the write in time, names it
/// when it fails, counts it, and notifies listeners that it has happened.
public final class Writes {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  /// What is counted apart.
  public record Sort(Verb verb, String kind) implements Comparable<Sort> {
    private static final Comparator<Sort> ORDER =
        Comparator.comparing(Sort::kind).thenComparing(Sort::verb);

    @Override
    public int compareTo(Sort other) {
      return ORDER.compare(this, other);
    }
  }

  private final Map<Sort, LongAdder> counts = new ConcurrentHashMap<>();
  private final List<Consumer<Write>> hooks = new CopyOnWriteArrayList<>();
  private volatile Predicate<ObjectKey> permission = _ -> true;

  /// From now on what fails `newPermission` is not sent: the gate asks before each write.
  public void onlyIf(Predicate<ObjectKey> newPermission) {
    permission = newPermission;
  }

  /// `hook` runs on the writing thread right after the API server has accepted a write, before
  /// anything else happens.
  public void afterEach(Consumer<Write> hook) {
    hooks.add(hook);
  }

  /// How many writes of each sort have been accepted.
  public Map<Sort, Long> counts() {
    var snapshot = new TreeMap<Sort, Long>();
    counts.forEach((sort, count) -> snapshot.put(sort, count.sum()));
    return snapshot;
  }

  /// Carries out one write.
  ///
  /// @throws KubeException when this process may not write now, or the API server refuses it or
  ///   does not answer
  public <T> T perform(Verb verb, ObjectKey object, Callable<T> call) {
    if (!permission.test(object)) {
      throw KubeException.notSent(verb, object);
    }
    T response = send(verb, object, call);
    counts.computeIfAbsent(new Sort(verb, object.kind()), _ -> new LongAdder()).increment();
    var write = new Write(verb, object);
    hooks.forEach(hook -> hook.accept(write));
    return response;
  }

  /// One call, bounded in time and named when it fails, but not counted.
  static <T> T send(Verb verb, ObjectKey object, Callable<T> call) {
    try {
      return Deadline.call(LIMIT, call);
    } catch (KubernetesClientException e) {
      throw KubeException.of(verb, object, e);
    } catch (IOException e) {
      throw KubeException.unanswered(verb, object, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw KubeException.unanswered(verb, object, e);
    }
  }
}
