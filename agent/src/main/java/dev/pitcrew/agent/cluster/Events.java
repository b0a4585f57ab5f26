package dev.pitcrew.agent.cluster;

import static java.net.HttpURLConnection.HTTP_CONFLICT;
import static java.net.HttpURLConnection.HTTP_FORBIDDEN;
import static java.net.HttpURLConnection.HTTP_NOT_FOUND;

import dev.pitcrew.agent.cluster.EventLedger.Series;
import dev.pitcrew.agent.cluster.Reply.Done;
import dev.pitcrew.agent.cluster.Reply.Refused;
import dev.pitcrew.agent.cluster.Reply.Unanswered;
import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.ThreadEnd;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reports what happens as Events. No caller waits: a separate thread sends them, at a bounded
/// pace, and continues after an outage. Repetitions are counted in their Event.
public final class Events implements AutoCloseable {

  /// @param burst how many are sent at once, when none were for a while
  /// @param interval between two of many
  record Pace(int burst, Duration interval) {}

  private static final Logger LOG = LoggerFactory.getLogger(Events.class);

  /// Sixteen GPUs become unhealthy and recover, and what follows for one of them is still reported
  /// at once. client-go lets 25 Events about one object pass at once.
  private static final Pace PACE = new Pace(40, Duration.ofSeconds(10));

  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final Backoff BACK_OFF =
      new Backoff(Duration.ofMillis(500), Duration.ofSeconds(12));
  private static final Backoff WITHOUT_RIGHTS =
      new Backoff(Duration.ofMillis(500), Duration.ofMinutes(2));

  private final ApiServer server;
  private final EventText text;
  private final InstantSource clock;
  private final Pace pace;
  private final Outage outage = new Outage(LOG, "reporting of Events");
  private final Thread thread = Thread.ofVirtual().name("events").unstarted(this::run);
  private final Semaphore news = new Semaphore(0);
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition progress = lock.newCondition();
  private final EventLedger ledger = new EventLedger();
  private long dueAtNanos;
  private int failures;

  private Events(ApiServer server, String instance, InstantSource clock, Pace pace) {
    this.server = server;
    this.text = new EventText(instance);
    this.clock = clock;
    this.pace = pace;
    this.dueAtNanos = System.nanoTime() - pace.burst() * pace.interval().toNanos();
  }

  /// @param instance the pod or the node that reports them
  public static Events start(ApiServer server, String instance, InstantSource clock) {
    return start(server, instance, clock, PACE);
  }

  static Events start(ApiServer server, String instance, InstantSource clock, Pace pace) {
    var events = new Events(server, instance, clock, pace);
    events.thread.start();
    return events;
  }

  /// Queues it, to be sent once. Returns at once.
  public void emit(ObjectEvent event) {
    lock.lock();
    try {
      ledger.add(event, clock.instant());
    } finally {
      lock.unlock();
    }
    news.release();
  }

  /// Queues it, to be sent once for each `occurrence`, however often this is called and by how many
  /// consecutive processes. Returns at once.
  public void emit(ObjectEvent event, String occurrence) {
    lock.lock();
    try {
      ledger.add(event, occurrence, clock.instant());
    } finally {
      lock.unlock();
    }
    news.release();
  }

  /// Waits until nothing is left to send, at most for `timeout`.
  ///
  /// @return whether all is sent
  public boolean awaitSent(Duration timeout) throws InterruptedException {
    lock.lock();
    try {
      long left = timeout.toNanos();
      while (ledger.due().isPresent() && left > 0) {
        left = progress.awaitNanos(left);
      }
      return ledger.due().isEmpty();
    } finally {
      lock.unlock();
    }
  }

  /// What has not been sent by now is dropped.
  @Override
  public void close() {
    ThreadEnd.of(thread);
  }

  private void run() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        news.acquire();
        news.drainPermits();
        emitAll();
      }
    } catch (InterruptedException _) {
      LOG.atDebug().log("no more Events are reported");
    }
  }

  private void emitAll() throws InterruptedException {
    while (due().isPresent()) {
      Thread.sleep(untilNextIsAllowed());
      Optional<Series> next = due(); // it may have happened again by now
      Thread.sleep(next.map(this::emitNow).orElse(Duration.ZERO));
    }
  }

  /// Spends one turn of the pace.
  private Duration untilNextIsAllowed() {
    long now = System.nanoTime();
    long interval = pace.interval().toNanos();
    long earliest = now - (pace.burst() - 1) * interval;
    dueAtNanos = dueAtNanos - earliest > 0 ? dueAtNanos : earliest;
    long wait = Math.max(0, dueAtNanos - now);
    dueAtNanos += interval;
    return Duration.ofNanos(wait);
  }

  /// @return how long to leave the server alone
  private Duration emitNow(Series series) {
    boolean isNew = series.reported() == 0;
    int lost = isNew ? lost() : 0;
    Reply reply =
        isNew
            ? server.create(EventText.path(series), text.event(series, lost), DEADLINE)
            : server.patch(EventText.path(series), EventText.again(series), DEADLINE);
    return switch (reply) {
      case Done _ -> reported(series, lost);
      case Refused refused when refused.isPassing() ->
          refused.atLeastAsAsked(backOff(refused.message()));
      // Rights come with the same chart as we do, and the API server learns of them in its own
      // time.
      case Refused(int status, _, _, var message, _) when status == HTTP_FORBIDDEN -> {
        outage.begins(message);
        yield delay(WITHOUT_RIGHTS);
      }
      // It was created by a call whose answer was lost.
      case Refused(int status, _, _, _, _) when isNew && status == HTTP_CONFLICT ->
          reported(series, lost);
      case Refused(int status, _, _, _, _) when !isNew && status == HTTP_NOT_FOUND ->
          vanished(series);
      case Refused refused -> givenUp(series, refused);
      case Unanswered(var why) -> backOff(why);
    };
  }

  private Duration reported(Series series, int lost) {
    outage.isOver();
    failures = 0;
    lock.lock();
    try {
      ledger.reported(series, lost);
      progress.signalAll();
    } finally {
      lock.unlock();
    }
    return Duration.ZERO;
  }

  private Duration vanished(Series series) {
    lock.lock();
    try {
      ledger.vanished(series, clock.instant());
    } finally {
      lock.unlock();
    }
    return Duration.ZERO;
  }

  private Duration givenUp(Series series, Refused refused) {
    LOG.atWarn()
        .addKeyValue("reason", series.event().reason())
        .log("an event was refused: {} {}", refused.status(), refused.message());
    return reported(series, 0);
  }

  private Duration backOff(String why) {
    outage.begins(why);
    return delay(BACK_OFF);
  }

  private Duration delay(Backoff after) {
    failures++;
    return after.delay(failures, ThreadLocalRandom.current());
  }

  private Optional<Series> due() {
    lock.lock();
    try {
      return ledger.due();
    } finally {
      lock.unlock();
    }
  }

  private int lost() {
    lock.lock();
    try {
      return ledger.lost();
    } finally {
      lock.unlock();
    }
  }
}
