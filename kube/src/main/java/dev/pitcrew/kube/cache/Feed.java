package dev.pitcrew.kube.cache;

import static java.net.HttpURLConnection.HTTP_GONE;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import dev.pitcrew.core.Backoff;
import dev.pitcrew.kube.cache.Session.End;
import dev.pitcrew.kube.cache.Store.Place;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Keeps a store like the cluster: lists once, then follows one watch after another from where the
/// last one stood.
///
/// The client library has an informer of its own. It is not used because it hides bookmarks, so
/// that a dead watch cannot be distinguished from an idle one, and because it lists everything
/// again whenever opening a watch is refused, which is what an overloaded API server needs least.
final class Feed<T extends HasMetadata> {

  private static final Logger log = LoggerFactory.getLogger(Feed.class);
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(250), Duration.ofSeconds(30));

  /// A watch that lasted this long was sound; one that ends sooner counts as a failure and makes
  /// the next one wait.
  private static final Duration SOUND = Duration.ofSeconds(10);

  /// A kind that is not served is asked for again this seldom; [#wake] asks at once.
  private static final Duration RECHECK = Duration.ofMinutes(10);

  /// An API server that starts may answer 404 for a moment. Believing it would delete every object
  /// that we know.
  private static final int NOT_FOUND_IN_A_ROW = 3;

  private static final int COMPLAIN_EVERY = 10;

  private static final long LARGEST_PAGE = 10_000;
  private static final long PAGE_FACTOR = 5;

  private final String name;
  private final Source<T> source;
  private final Store<T> store;
  private final Status status;
  private final Semaphore wakes = new Semaphore(0);
  private @Nullable String position;
  private long pageSize = Source.PAGE;
  private int failures;
  private int notFound;
  private boolean doubtful;

  Feed(String name, Source<T> source, Store<T> store, Status status) {
    this.name = name;
    this.source = source;
    this.store = store;
    this.status = status;
  }

  /// Ends a wait between two attempts.
  void wake() {
    wakes.release();
  }

  /// Runs until its thread is interrupted.
  void run() {
    try {
      while (true) {
        pause(turn());
      }
    } catch (InterruptedException e) {
      log.debug("cache of {} closed", name);
    }
  }

  /// One list or one watch.
  ///
  /// @return how long to wait before the next turn
  private Duration turn() throws InterruptedException {
    wakes.drainPermits();
    try {
      if (position == null) {
        return list();
      }
      return follow(position);
    } catch (KubernetesClientException e) {
      return refused(e);
    } catch (IOException
        | RuntimeException
        | Error e) { // an Error too: else the cache would stand still
      complain(e.toString());
      return backOff();
    }
  }

  private Duration list() throws IOException, InterruptedException {
    Set<Place> present = new HashSet<>();
    ListMeta page = take(source.page(null, pageSize), present);
    while (hasMore(page)) {
      page = take(source.page(page.getContinue(), pageSize), present);
    }
    pageSize = Source.PAGE;
    String version = page.getResourceVersion();
    store.retain(present);
    position = version;
    notFound = 0;
    status.synced(); // before listeners get the list: they may ask whether the cache is synced
    store.notifyListed(version);
    return Duration.ZERO;
  }

  /// Keeps nothing of a page but what is said of it: the next one has to fit beside it.
  private ListMeta take(KubernetesResourceList<T> page, Set<Place> present) {
    for (T object : page.getItems()) {
      present.add(Place.of(object));
      store.put(object);
    }
    return page.getMetadata();
  }

  private Duration follow(String from) throws IOException, InterruptedException {
    long startedAtNanos = System.nanoTime();
    var session = new Session<>(store, from);
    End end = watch(session, from);
    position = isLost(end) ? null : session.resourceVersion();
    log.debug("watch of {} ended: {}", name, end);
    if (end == End.SILENT) {
      log.warn(
          "nothing came from the watch of {} for {} s, replacing it",
          name,
          source.options().silence().toSeconds());
    }
    boolean sound = System.nanoTime() - startedAtNanos > SOUND.toNanos();
    failures = sound ? 0 : failures;
    return backOff();
  }

  /// Whether only a new list helps. A doubtful end is believed when it comes twice in a row, so
  /// that a watch that was merely cut costs no list.
  private boolean isLost(End end) {
    boolean doubtedBefore = doubtful;
    doubtful = end == End.DOUBTFUL && !doubtedBefore;
    return end == End.GONE || (end == End.DOUBTFUL && doubtedBefore);
  }

  private End watch(Session<T> session, String from) throws IOException, InterruptedException {
    @Nullable Watch watch = null;
    try {
      watch = source.watch(from, session);
      return session.awaitEnd(source.options().silence());
    } finally {
      session.close();
      if (watch != null) {
        watch.close();
      }
    }
  }

  private Duration refused(KubernetesClientException e) {
    if (e.getCode() == HTTP_NOT_FOUND) {
      return missing();
    }
    if (e.getCode() == HTTP_GONE) {
      pageSize = position == null ? larger(pageSize) : pageSize;
      position = null;
    }
    complain(e.getMessage());
    Duration backOff = backOff();
    Duration asked = retryAfter(e);
    return backOff.compareTo(asked) > 0 ? backOff : asked;
  }

  /// Pages of a list are of one revision, which etcd forgets after some five minutes (compaction).
  /// A list that takes longer is tried again with fewer pages; at last without any, as the pager of
  /// client-go does at once.
  private static long larger(long pageSize) {
    return pageSize == Source.WHOLE || pageSize > LARGEST_PAGE
        ? Source.WHOLE
        : pageSize * PAGE_FACTOR;
  }

  /// Says it once and then now and then: an outage fails many times.
  private void complain(@Nullable String why) {
    if (failures % COMPLAIN_EVERY == 0) {
      log.warn("cannot read {}, trying again: {}", name, why);
    } else {
      log.debug("still cannot read {}: {}", name, why);
    }
  }

  private Duration missing() {
    position = null;
    notFound++;
    if (!store.isEmpty() && notFound < NOT_FOUND_IN_A_ROW) {
      return backOff();
    }
    store.retain(Set.of());
    failures = 0;
    status.absent();
    return RECHECK;
  }

  private Duration backOff() {
    failures++;
    return BACKOFF.delay(failures, ThreadLocalRandom.current());
  }

  private void pause(Duration delay) throws InterruptedException {
    boolean woken = wakes.tryAcquire(delay.toMillis(), TimeUnit.MILLISECONDS);
    if (woken) {
      log.debug("asked to read {} at once", name);
    }
  }

  private static boolean hasMore(ListMeta page) {
    @Nullable String next = page.getContinue();
    return next != null && !next.isEmpty();
  }

  private static Duration retryAfter(KubernetesClientException e) {
    if (e.getStatus() == null || e.getStatus().getDetails() == null) {
      return Duration.ZERO;
    }
    @Nullable Integer seconds = e.getStatus().getDetails().getRetryAfterSeconds();
    return seconds == null ? Duration.ZERO : Duration.ofSeconds(seconds);
  }
}
