package dev.pitcrew.kube.cache;

import static java.net.HttpURLConnection.HTTP_GONE;

import dev.pitcrew.kube.cache.Store.Place;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// One watch, from its opening to its end. It writes what it hears into the store and remembers how
/// far it has come; once closed it writes nothing more, however late its connection still delivers.
final class Session<T extends HasMetadata> implements Watcher<T> {

  /// Why a watch is over.
  enum End {
    /// It was cut; the next one goes on where it stood.
    CUT,
    /// The server no longer knows the position: only a new list helps.
    GONE,
    /// It was closed at once and without a word: most often cut, but some proxies close so instead
    /// of saying that it is gone.
    DOUBTFUL,
    /// Nothing has come for too long, so the connection is taken for dead.
    SILENT
  }

  /// The words of the client library, not of the server, for a watch that was closed within two
  /// seconds before anything came.
  private static final String GUESSED_BY_CLIENT = "resourceVersion too old";

  private final Store<T> store;
  private final ReentrantLock hearing = new ReentrantLock();
  private final LinkedBlockingQueue<End> ends = new LinkedBlockingQueue<>();
  private volatile String resourceVersion;
  private volatile long lastReceivedAtNanos = System.nanoTime();
  private volatile boolean closed;

  Session(Store<T> store, String resourceVersion) {
    this.store = store;
    this.resourceVersion = resourceVersion;
  }

  /// The version of the last event or bookmark.
  String resourceVersion() {
    return resourceVersion;
  }

  /// Returns as soon as the watch is over, or has been silent for `silence`.
  End awaitEnd(Duration silence) throws InterruptedException {
    while (true) {
      long leftNanos = silence.toNanos() - (System.nanoTime() - lastReceivedAtNanos);
      if (leftNanos <= 0) {
        return End.SILENT;
      }
      @Nullable End end = ends.poll(leftNanos, TimeUnit.NANOSECONDS);
      if (end != null) {
        return end;
      }
    }
  }

  /// When this returns, the session has made its last change to the store.
  void close() {
    hearing.lock();
    try {
      closed = true;
    } finally {
      hearing.unlock();
    }
  }

  @Override
  public void eventReceived(Action action, T object) {
    hearing.lock();
    try {
      if (!closed) {
        hear(action, object);
      }
    } finally {
      hearing.unlock();
    }
  }

  private void hear(Action action, T object) {
    lastReceivedAtNanos = System.nanoTime();
    String version = object.getMetadata().getResourceVersion();
    switch (action) {
      case ADDED, MODIFIED -> store.put(object);
      case DELETED -> store.remove(Place.of(object));
      case BOOKMARK -> {} // only moves the position
      case ERROR -> {
        return;
      }
    }
    resourceVersion = version;
  }

  @Override
  public void onClose(WatcherException cause) {
    ends.add(end(cause));
  }

  @Override
  public void onClose() {
    ends.add(End.CUT);
  }

  private static End end(WatcherException cause) {
    if (!(cause.getCause() instanceof KubernetesClientException e) || e.getCode() != HTTP_GONE) {
      return End.CUT;
    }
    return GUESSED_BY_CLIENT.equals(e.getMessage()) ? End.DOUBTFUL : End.GONE;
  }
}
