package dev.pitcrew.agent.cluster;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Subscription;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The lines of a watch, for one reader. What the reader has not taken stays with the server: only
/// one piece at a time is asked for.
final class WatchLines implements BodySubscriber<WatchBody>, AutoCloseable {

  private sealed interface Piece {
    record Bytes(List<ByteBuffer> buffers) implements Piece {}

    record End(Optional<Throwable> failure) implements Piece {}
  }

  private final LinkedBlockingQueue<Piece> arrived = new LinkedBlockingQueue<>();
  private final CompletableFuture<Subscription> subscription = new CompletableFuture<>();
  private final ArrayDeque<ByteBuffer> unread = new ArrayDeque<>();
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  @Override
  public CompletionStage<WatchBody> getBody() {
    return CompletableFuture.completedFuture(new WatchBody.Begun(this));
  }

  @Override
  public void onSubscribe(Subscription opened) {
    subscription.complete(opened);
    opened.request(1);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    arrived.add(new Piece.Bytes(buffers));
  }

  @Override
  public void onError(Throwable failure) {
    arrived.add(new Piece.End(Optional.of(failure)));
  }

  @Override
  public void onComplete() {
    arrived.add(new Piece.End(Optional.empty()));
  }

  /// The next whole line; empty when the server has ended the watch.
  ///
  /// @param received called whenever data arrives
  /// @throws HttpTimeoutException if nothing comes for `silence`
  Optional<byte[]> next(Duration silence, Runnable received)
      throws IOException, InterruptedException {
    while (!readLine()) {
      @Nullable Piece piece = arrived.poll(silence.toNanos(), TimeUnit.NANOSECONDS);
      switch (piece) {
        case null ->
            throw new HttpTimeoutException("nothing came for %d ms".formatted(silence.toMillis()));
        case Piece.Bytes(var buffers) -> {
          received.run();
          unread.addAll(buffers);
        }
        case Piece.End(var failure) -> {
          if (failure.isPresent()) {
            throw new IOException(failure.get().getMessage(), failure.get());
          }
          return Optional.empty();
        }
      }
    }
    byte[] whole = line.toByteArray();
    line.reset();
    return Optional.of(whole);
  }

  /// Moves what has come into the line, and asks for more where that does not end it.
  private boolean readLine() throws IOException {
    while (!unread.isEmpty()) {
      ByteBuffer buffer = unread.getFirst();
      while (buffer.hasRemaining()) {
        byte next = buffer.get();
        if (next == '\n') {
          return true;
        }
        line.write(next);
      }
      unread.removeFirst();
      if (unread.isEmpty()) {
        subscription.join().request(1);
      }
      if (line.size() > ApiServer.LARGEST_ANSWER) {
        throw new IOException("a line of more than %d bytes".formatted(ApiServer.LARGEST_ANSWER));
      }
    }
    return false;
  }

  /// Cancels the subscription, so that the server stops sending.
  @Override
  public void close() {
    var _ = subscription.thenAccept(Subscription::cancel);
  }
}
