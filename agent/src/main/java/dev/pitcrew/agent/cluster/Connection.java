package dev.pitcrew.agent.cluster;

import static java.net.HttpURLConnection.HTTP_UNAUTHORIZED;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// The one connection to the API server, over HTTP/2 where the server speaks it.
///
/// The JDK asks no peer whether it is still there: it goes on using a connection that has died in
/// silence until TCP gives up, after a quarter of an hour. So a connection on which nothing was
/// received while something was due is replaced, with all that hangs on it.
final class Connection implements AutoCloseable {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

  private final Credentials credentials;
  private final ReentrantLock lock = new ReentrantLock();
  private final ReentrantLock opening = new ReentrantLock();
  private @Nullable HttpClient client;
  private boolean closed;
  private volatile boolean isOpen;
  private volatile long lastReceivedAtNanos = System.nanoTime();

  Connection(Credentials credentials) {
    this.credentials = credentials;
  }

  /// Sends a request, and once more where the token was replaced while it was on its way.
  <T> HttpResponse<T> send(Call call, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    String token = credentials.token();
    HttpResponse<T> answer = exchange(call, token, handler);
    if (answer.statusCode() != HTTP_UNAUTHORIZED) {
      return answer;
    }
    String fresh = credentials.token();
    return fresh.equals(token) ? answer : exchange(call, fresh, handler);
  }

  /// While there is no connection, only one request goes out to open it: the JDK would open one for
  /// each.
  private <T> HttpResponse<T> exchange(Call call, String token, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    if (isOpen) {
      return exchangeNow(call, token, handler);
    }
    if (!opening.tryLock(call.deadline().toNanos(), TimeUnit.NANOSECONDS)) {
      throw noAnswer(call);
    }
    try {
      return exchangeNow(call, token, handler);
    } finally {
      opening.unlock();
    }
  }

  private <T> HttpResponse<T> exchangeNow(Call call, String token, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    HttpClient used = client();
    long sentAtNanos = System.nanoTime();
    var sent = used.sendAsync(call.request(credentials.server(), token), handler);
    try {
      HttpResponse<T> answer = sent.get(call.deadline().toNanos(), TimeUnit.NANOSECONDS);
      received();
      isOpen = true;
      return answer;
    } catch (TimeoutException _) {
      suspect(sentAtNanos);
      throw noAnswer(call);
    } catch (ExecutionException e) {
      throw failure(used, e.getCause());
    } finally {
      sent.cancel(true); // an answer that comes too late is not read
    }
  }

  /// Something came.
  void received() {
    lastReceivedAtNanos = System.nanoTime();
  }

  /// What came over the connection has ended before its time.
  void broke() {
    isOpen = false;
  }

  /// Replaces the connection if nothing has come since then.
  void suspect(long sinceNanos) {
    lock.lock();
    try {
      if (client != null && lastReceivedAtNanos - sinceNanos < 0) {
        replace(client);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    @Nullable HttpClient last;
    lock.lock();
    try {
      closed = true;
      last = client;
      client = null;
    } finally {
      lock.unlock();
    }
    if (last != null) {
      end(last);
    }
  }

  private static void end(HttpClient last) {
    last.shutdownNow();
    try {
      last.awaitTermination(CLOSE_LIMIT);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private HttpClient client() throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("closed");
      }
      if (client == null) {
        client = newClient();
        received();
      }
      return client;
    } finally {
      lock.unlock();
    }
  }

  private HttpClient newClient() throws IOException {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_2)
        .sslContext(credentials.trust())
        .proxy(HttpClient.Builder.NO_PROXY)
        .connectTimeout(CONNECT_LIMIT)
        .executor(task -> Thread.ofVirtual().name("api-server").start(task))
        .build();
  }

  private void replace(HttpClient used) {
    broke();
    lock.lock();
    try {
      if (used.equals(client)) {
        client = null;
      }
    } finally {
      lock.unlock();
    }
    used.shutdownNow();
  }

  /// A new client trusts the authority as it is then: it may have been replaced.
  private IOException failure(HttpClient used, @Nullable Throwable cause) {
    broke();
    if (cause instanceof SSLException) {
      replace(used);
    }
    return cause instanceof IOException failure ? failure : new IOException(cause);
  }

  private static IOException noAnswer(Call call) {
    return new HttpTimeoutException("no answer within %d ms".formatted(call.deadline().toMillis()));
  }

  /// Why there was no answer, in words.
  static String words(IOException failure) {
    @Nullable String message = failure.getMessage();
    String type = failure.getClass().getSimpleName();
    return ReplyReader.printable(message == null ? type : type + ": " + message);
  }
}
