package dev.pitcrew.kube.event;

import dev.pitcrew.kube.ObjectKey;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides which Events are sent, as the event correlator of client-go does: none twice in ten
/// minutes, and only so many about one object and of the whole process.
///
/// Of what it remembers it forgets the oldest, so that a cluster of any size takes the same memory.
final class EventFilter {

  /// What makes two Events the same.
  ///
  /// @param topic the note, or what of it does not change from one time to the next
  record Topic(ObjectKey regarding, String reason, String topic) {}

  private static final Logger log = LoggerFactory.getLogger(EventFilter.class);
  private static final Duration REPEAT_AFTER = Duration.ofMinutes(10);

  /// As many as can be sent in that time: some 5 MiB.
  private static final int REMEMBERED = 13_000;

  /// About one object: a node's way through an upgrade takes ten.
  private static final int BURST_OF_OBJECT = 50;

  private static final Duration REFILL_OF_OBJECT = Duration.ofMinutes(1);

  /// Of the process: one about each of a thousand nodes at once, and then 20 a second.
  private static final int BURST = 1_000;

  private static final Duration REFILL = Duration.ofMillis(50);

  private static final Duration COMPLAIN_EVERY = Duration.ofMinutes(1);

  private final InstantSource clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final SequencedMap<Topic, Instant> sent = new LinkedHashMap<>();
  private final SequencedMap<ObjectKey, Bucket> objects = new LinkedHashMap<>();
  private final Bucket all;
  private Instant complainedAt = Instant.MIN;
  private int dropped;

  EventFilter(InstantSource clock) {
    this.clock = clock;
    this.all = new Bucket(BURST, REFILL, clock.instant());
  }

  /// Whether it is to be sent; counts as sent then.
  boolean admits(Topic topic) {
    lock.lock();
    try {
      Instant now = clock.instant();
      @Nullable Instant before = sent.get(topic);
      if (isRecent(before, now) || !hasPlace(topic.regarding(), now)) {
        return false;
      }
      sent.putLast(topic, now);
      trim(sent);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /// Whether one more about the object may be sent, be it the same as another; counts as sent then.
  boolean hasPlace(ObjectKey regarding) {
    lock.lock();
    try {
      return hasPlace(regarding, clock.instant());
    } finally {
      lock.unlock();
    }
  }

  /// What had a place was there already.
  void giveBack(ObjectKey regarding) {
    lock.lock();
    try {
      all.giveBack();
      @Nullable Bucket own = objects.get(regarding);
      if (own != null) {
        own.giveBack();
      }
    } finally {
      lock.unlock();
    }
  }

  /// It was not sent after all.
  void forget(Topic topic) {
    lock.lock();
    try {
      sent.remove(topic);
    } finally {
      lock.unlock();
    }
  }

  /// One that is to come was sent before the clock was set back.
  private static boolean isRecent(@Nullable Instant before, Instant now) {
    return before != null && !before.isAfter(now) && before.plus(REPEAT_AFTER).isAfter(now);
  }

  private boolean hasPlace(ObjectKey regarding, Instant now) {
    Bucket own =
        objects.computeIfAbsent(regarding, _ -> new Bucket(BURST_OF_OBJECT, REFILL_OF_OBJECT, now));
    objects.putLast(regarding, own);
    trim(objects);
    if (own.isEmpty(now) || all.isEmpty(now)) {
      drop(regarding, now);
      return false;
    }
    own.take();
    all.take();
    return true;
  }

  private void drop(ObjectKey regarding, Instant now) {
    dropped++;
    if (complainedAt.isBefore(now.minus(COMPLAIN_EVERY)) || complainedAt.isAfter(now)) {
      log.warn(
          "{} Events were not sent, the last of them about {}: more than {} about one object, or {} in all, at once",
          dropped,
          regarding,
          BURST_OF_OBJECT,
          BURST);
      complainedAt = now;
      dropped = 0;
    }
  }

  private static void trim(SequencedMap<?, ?> map) {
    if (map.size() > REMEMBERED) {
      map.pollFirstEntry();
    }
  }

  /// A token bucket, full at first.
  private static final class Bucket {
    private final int size;
    private final Duration refill;
    private int tokens;
    private Instant filledAt;

    Bucket(int size, Duration refill, Instant now) {
      this.size = size;
      this.refill = refill;
      this.tokens = size;
      this.filledAt = now;
    }

    boolean isEmpty(Instant now) {
      Duration passed = Duration.between(filledAt, now);
      if (passed.isNegative()) { // the clock was set back
        filledAt = now;
      } else {
        long more = passed.dividedBy(refill);
        tokens = (int) Math.min(size, tokens + more);
        filledAt = filledAt.plus(refill.multipliedBy(more));
      }
      return tokens == 0;
    }

    void take() {
      tokens--;
    }

    void giveBack() {
      tokens = Math.min(size, tokens + 1);
    }
  }
}
