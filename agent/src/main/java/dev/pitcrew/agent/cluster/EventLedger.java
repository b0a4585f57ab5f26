package dev.pitcrew.agent.cluster;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.UUID;

/// What has happened and how much of it has been reported. However much happens, it stays small:
/// repetitions are counted, and so is what cannot be kept. Not thread-safe.
final class EventLedger {

  /// @param name of the Event
  /// @param first when it happened for the first time
  /// @param reported how many of `count` the API server knows; zero while there is no Event
  record Series(
      ObjectEvent event, String name, Instant first, Instant last, int count, int reported) {
    boolean isDue() {
      return reported < count;
    }

    private Series again(Instant now) {
      return new Series(event, name, first, now, count + 1, reported);
    }

    private Series reported(int by) {
      return new Series(event, name, first, last, count, by);
    }
  }

  /// What happens again within this time is counted in the same Event.
  private static final Duration SAME = Duration.ofMinutes(6);

  private static final int REMEMBERED = 128;
  static final int WAITING = 64;
  private static final int LONGEST_NAME = 200;
  private static final int REMEMBERED_NAMES = 512;

  private final SequencedMap<ObjectEvent, Series> kept = new LinkedHashMap<>();
  private final SequencedSet<String> names = new LinkedHashSet<>();
  private int lost;
  private int others;

  void add(ObjectEvent event, Instant now) {
    add(event, another(now), now);
  }

  /// @param occurrence distinguishes it from others with the same words. The same one again, even
  ///   from an earlier process, is the same Event
  void add(ObjectEvent event, String occurrence, Instant now) {
    String name = name(event, occurrence);
    if (!names.add(name)) {
      return;
    }
    if (names.size() > REMEMBERED_NAMES) {
      names.removeFirst();
    }
    Optional<Series> before =
        Optional.ofNullable(kept.get(event))
            .filter(series -> series.isDue() || series.last().plus(SAME).isAfter(now));
    if (before.isPresent()) {
      kept.put(event, before.get().again(now));
    } else if (kept.values().stream().filter(Series::isDue).count() >= WAITING) {
      lost++;
    } else {
      begin(new Series(event, name, now, now, 1, 0));
    }
  }

  /// What is to be reported next: what was never reported before repetitions, else one storm would
  /// hide all the rest.
  Optional<Series> due() {
    return kept.values().stream()
        .filter(Series::isDue)
        .min(Comparator.comparing(series -> series.reported() > 0));
  }

  /// How many happenings could not be kept; only this number reports them.
  int lost() {
    return lost;
  }

  /// @param lostReported the number of lost ones that was reported with it
  void reported(Series series, int lostReported) {
    lost -= lostReported;
    Optional.ofNullable(kept.remove(series.event()))
        .ifPresent(now -> kept.putLast(series.event(), now.reported(series.count())));
  }

  /// The Event no longer exists: it is reported as a new one.
  void vanished(Series series, Instant now) {
    String name = name(series.event(), another(now));
    begin(new Series(series.event(), name, now, now, 1, 0));
  }

  private void begin(Series series) {
    kept.remove(series.event());
    kept.putLast(series.event(), series);
    if (kept.size() > REMEMBERED) {
      kept.values().stream()
          .filter(old -> !old.isDue())
          .findFirst()
          .ifPresent(old -> kept.remove(old.event()));
    }
  }

  private String another(Instant now) {
    others++;
    return now + " " + others;
  }

  private static String name(ObjectEvent event, String occurrence) {
    String subject = event.regarding().name();
    String stem = subject.substring(0, Math.min(subject.length(), LONGEST_NAME));
    byte[] all = (event + occurrence).getBytes(StandardCharsets.UTF_8);
    return stem.replaceFirst("[-.]+$", "")
        + "."
        + UUID.nameUUIDFromBytes(all).toString().replace("-", "");
  }
}
