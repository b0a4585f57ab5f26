package dev.pitcrew.agent.plugin;

import dev.pitcrew.kubelet.deviceplugin.ListAndWatchResponse;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// The open `ListAndWatch` streams of one resource. The list is a level: a stream that could not
/// keep up gets the newest list only, and none gets a list twice.
final class DeviceStreams {
  private final AtomicReference<ListAndWatchResponse> published;
  private final Set<Stream> streams = ConcurrentHashMap.newKeySet();

  DeviceStreams(ListAndWatchResponse first) {
    this.published = new AtomicReference<>(first);
  }

  void publish(ListAndWatchResponse list) {
    if (!published.getAndSet(list).equals(list)) {
      streams.forEach(Stream::catchUp);
    }
  }

  /// @param onLoss called when a client has ended its stream and no other one listens
  void open(ServerCallStreamObserver<ListAndWatchResponse> observer, Runnable onLoss) {
    Stream stream = new Stream(observer, published::get);
    observer.setOnCancelHandler(() -> {
      if (streams.remove(stream) && streams.isEmpty()) {
        onLoss.run();
      }
    });
    observer.setOnReadyHandler(stream::catchUp);
    streams.add(stream);
    stream.catchUp();
  }

  boolean isEmpty() {
    return streams.isEmpty();
  }

  /// Sends what is still to be sent and ends all streams.
  void end() {
    streams.forEach(Stream::end);
    streams.clear();
  }

  private static final class Stream {
    private final ServerCallStreamObserver<ListAndWatchResponse> observer;
    private final Supplier<ListAndWatchResponse> newest;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<ListAndWatchResponse> sent = Optional.empty();
    private boolean hasEnded;

    Stream(
        ServerCallStreamObserver<ListAndWatchResponse> observer,
        Supplier<ListAndWatchResponse> newest) {
      this.observer = observer;
      this.newest = newest;
    }

    void catchUp() {
      lock.lock();
      try {
        if (!hasEnded && observer.isReady()) {
          send();
        }
      } finally {
        lock.unlock();
      }
    }

    void end() {
      lock.lock();
      try {
        if (!hasEnded && !observer.isCancelled()) {
          send();
          observer.onCompleted();
        }
        hasEnded = true;
      } finally {
        lock.unlock();
      }
    }

    private void send() {
      Optional<ListAndWatchResponse> list = Optional.of(newest.get());
      if (!list.equals(sent)) {
        list.ifPresent(observer::onNext);
        sent = list;
      }
    }
  }
}
