package dev.pitcrew.agent.dra.claims;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/// A lock for each key, for as long as a thread has it or waits for it.
public final class KeyedLocks {
  private record Counted(ReentrantLock lock, int users) {}

  /// Released in the reverse order.
  public final class Held implements AutoCloseable {
    private final List<String> keys;

    private Held(List<String> keys) {
      this.keys = keys;
    }

    @Override
    public void close() {
      keys.reversed().forEach(KeyedLocks.this::release);
    }
  }

  private final ConcurrentHashMap<String, Counted> locks = new ConcurrentHashMap<>();

  /// Takes them in the order of the keys, so that two threads never wait for each other.
  public Held take(Collection<String> keys) {
    var taken = new ArrayList<String>();
    keys.stream()
        .distinct()
        .sorted()
        .forEach(key -> {
          take(key);
          taken.add(key);
        });
    return new Held(taken);
  }

  private void take(String key) {
    Counted counted =
        locks.compute(
            key,
            (_, found) ->
                found == null
                    ? new Counted(new ReentrantLock(), 1)
                    : new Counted(found.lock(), found.users() + 1));
    counted.lock().lock();
  }

  private void release(String key) {
    locks.compute(
        key,
        (_, found) -> {
          if (found == null) {
            throw new IllegalMonitorStateException(key);
          }
          found.lock().unlock();
          return found.users() == 1 ? null : new Counted(found.lock(), found.users() - 1);
        });
  }

  /// How many keys are in use.
  int size() {
    return locks.size();
  }
}
