package dev.pitcrew.agent.cluster;

import static java.net.HttpURLConnection.HTTP_GONE;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Refused;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.ThreadEnd;
import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lists objects once and from then on follows one watch after another from where the last one
/// stood, whatever happens to the connection; it lists again only when the server has forgotten
/// that place.
///
/// An idle watch costs one call in 50 to 60 minutes. A kind that is not served, or that we may not
/// read, is asked for about twice a minute.
final class Watch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Watch.class);
  private static final Duration DEADLINE = Duration.ofSeconds(10);

  /// A watch that lasted this long was sound; one that ends sooner makes the next one wait.
  private static final Duration SOUND = Duration.ofSeconds(10);

  private static final Backoff AFTER_FAILURE =
      new Backoff(Duration.ofMillis(500), Duration.ofSeconds(12));
  private static final Backoff AFTER_REFUSAL =
      new Backoff(Duration.ofMillis(500), Duration.ofSeconds(60));

  /// An API server that starts may answer 404 for a moment.
  private static final int NOT_FOUND_IN_A_ROW = 3;

  /// The API server sends a bookmark a minute, also when nothing has changed (seen with 1.36).
  private static final Duration SILENCE = Duration.ofSeconds(150);

  private static final long SHORTEST_LIFE_SECONDS = Duration.ofMinutes(50).toSeconds();
  private static final long LONGEST_LIFE_SECONDS = Duration.ofMinutes(60).toSeconds();

  private static final int PAGE = 100;

  /// Where there was no answer: the objects may be so large that it was too long.
  private static final int SMALL_PAGE = 10;

  private final ApiServer server;
  private final Selection selection;
  private final Duration silence;
  private final Follower follower;
  private final Outage outage;
  private final Thread thread;

  private Optional<String> position = Optional.empty();
  private int page = PAGE;
  private int failures;
  private int notFound;

  /// Which objects.
  ///
  /// @param collection the path of all of their kind
  /// @param fields a field selector, as it is written in an address
  /// @param name for people
  /// @param isMetadataOnly whether nothing but their metadata is asked for
  record Selection(String collection, String fields, String name, boolean isMetadataOnly) {
    String query(String more) {
      return collection + "?fieldSelector=" + fields + more;
    }

    /// @param kind of what is answered, where it is metadata only
    String accept(String kind) {
      return isMetadataOnly ? "%s;as=%s;g=meta.k8s.io;v=v1".formatted(Call.JSON, kind) : Call.JSON;
    }
  }

  /// Receives what is seen, on the thread of the watch.
  interface Follower {
    /// All that there are now.
    void listed(JsonNode list);

    void changed(JsonNode object);

    void deleted(JsonNode object);

    /// No such kind is served.
    void unserved();
  }

  private Watch(ApiServer server, Selection selection, Duration silence, Follower follower) {
    this.server = server;
    this.selection = selection;
    this.silence = silence;
    this.follower = follower;
    this.outage = new Outage(LOG, "watch of " + selection.name());
    this.thread = Thread.ofVirtual().name("watch " + selection.name()).unstarted(this::run);
  }

  static Watch start(ApiServer server, Selection selection, Follower follower) {
    return start(server, selection, SILENCE, follower);
  }

  /// @param silence after which the connection is taken for dead
  static Watch start(ApiServer server, Selection selection, Duration silence, Follower follower) {
    var watch = new Watch(server, selection, silence, follower);
    watch.thread.start();
    return watch;
  }

  /// Why they cannot be seen at present; the last report may be outdated then.
  Optional<String> problem() {
    return outage.present();
  }

  /// Nothing is reported once this has returned.
  @Override
  public void close() {
    ThreadEnd.of(thread);
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        Thread.sleep(turn());
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("watch of {} closed", selection.name());
    }
  }

  /// An exception in the listener must not end the watch permanently.
  private Duration turn() throws InterruptedException {
    try {
      return position.isEmpty() ? list() : follow(position.get());
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("watch of {} failed; trying again", selection.name());
      return delay(AFTER_REFUSAL);
    }
  }

  /// @return how long to wait before the next turn
  private Duration list() {
    Reply reply = new PagedList(server, selection, page).read();
    page = reply instanceof Unanswered ? SMALL_PAGE : PAGE;
    return switch (reply) {
      case Done(var list) -> listed(list);
      case Refused refused -> notListed(refused);
      case Unanswered(var why) -> backOff(why);
    };
  }

  private Duration listed(JsonNode list) {
    Optional<String> version = WatchEvent.version(list);
    if (version.isEmpty() || !list.path("items").isArray()) {
      return backOff("the answer is no list");
    }
    position = version;
    notFound = 0;
    outage.isOver();
    notify(() -> follower.listed(list));
    return Duration.ZERO;
  }

  private Duration notListed(Refused refused) {
    Duration wait = refused(refused);
    notFound = refused.status() == HTTP_NOT_FOUND ? notFound + 1 : 0;
    if (notFound >= NOT_FOUND_IN_A_ROW) {
      notify(follower::unserved);
    }
    return wait;
  }

  private Duration follow(String from) throws InterruptedException {
    long begunAtNanos = System.nanoTime();
    WatchEnd end = watch(from);
    if (System.nanoTime() - begunAtNanos > SOUND.toNanos()) {
      failures = 0;
    }
    LOG.atDebug().log("watch of {} ended: {}", selection.name(), end);
    return switch (end) {
      case WatchEnd.ByServer() -> backOff();
      case WatchEnd.Broken(var why) -> backOff(why);
      case WatchEnd.NotBegun(var reply) -> notBegun(reply);
      case WatchEnd.Gone() -> {
        position = Optional.empty();
        yield backOff();
      }
    };
  }

  /// A list shows why a watch was refused: the kind is gone, or only the position.
  private Duration notBegun(Refused refused) {
    if (!refused.isPassing()) {
      position = Optional.empty();
    }
    return refused(refused);
  }

  private WatchEnd watch(String from) throws InterruptedException {
    long life = ThreadLocalRandom.current().nextLong(SHORTEST_LIFE_SECONDS, LONGEST_LIFE_SECONDS);
    String target =
        selection.query(
            "&watch=true&allowWatchBookmarks=true&resourceVersion=%s&timeoutSeconds=%d"
                .formatted(from, life));
    try {
      var answer =
          server
              .connection()
              .send(
                  Call.get(target, selection.accept("PartialObjectMetadata"), DEADLINE),
                  WatchBody.HANDLER);
      return switch (answer.body()) {
        case WatchBody.Begun(var lines) -> read(lines);
        case WatchBody.Refusal(var body) -> WatchEnd.of(ReplyReader.reply(answer, body));
      };
    } catch (IOException e) {
      return new WatchEnd.Broken(Connection.words(e));
    }
  }

  private WatchEnd read(WatchLines lines) throws IOException, InterruptedException {
    outage.isOver();
    long askedAtNanos = System.nanoTime();
    try (lines) {
      while (true) {
        askedAtNanos = System.nanoTime();
        Optional<byte[]> line = lines.next(silence, server.connection()::received);
        Optional<WatchEnd> end =
            line.isEmpty() ? Optional.of(new WatchEnd.ByServer()) : handle(line.get());
        if (end.isPresent()) {
          return end.get();
        }
      }
    } catch (HttpTimeoutException e) {
      server.connection().suspect(askedAtNanos);
      throw e;
    } catch (IOException e) {
      server.connection().broke();
      throw e;
    }
  }

  private Optional<WatchEnd> handle(byte[] line) {
    WatchEvent event = WatchEvent.parse(line);
    switch (event) {
      case WatchEvent.Changed(var object, var version) -> {
        position = Optional.of(version);
        notify(() -> follower.changed(object));
      }
      case WatchEvent.Deleted(var object, var version) -> {
        position = Optional.of(version);
        notify(() -> follower.deleted(object));
      }
      case WatchEvent.Bookmark(var version) -> position = Optional.of(version);
      case WatchEvent.Failed(int code, var message) -> {
        return Optional.of(
            code == HTTP_GONE ? new WatchEnd.Gone() : new WatchEnd.Broken(code + " " + message));
      }
      case WatchEvent.Garbage() -> {
        return Optional.of(new WatchEnd.Broken("a line is no event of a watch"));
      }
    }
    return Optional.empty();
  }

  private void notify(Runnable news) {
    try {
      news.run();
    } catch (RuntimeException e) {
      LOG.atError()
          .setCause(e)
          .log("an event of the watch of {} could not be processed", selection.name());
    }
  }

  private Duration refused(Refused refused) {
    outage.begins("%d %s".formatted(refused.status(), refused.message()));
    Duration wait = delay(refused.isPassing() ? AFTER_FAILURE : AFTER_REFUSAL);
    return refused.atLeastAsAsked(wait);
  }

  private Duration backOff(String why) {
    outage.begins(why);
    return backOff();
  }

  private Duration backOff() {
    return delay(AFTER_FAILURE);
  }

  private Duration delay(Backoff after) {
    failures++;
    return after.delay(failures, ThreadLocalRandom.current());
  }
}
