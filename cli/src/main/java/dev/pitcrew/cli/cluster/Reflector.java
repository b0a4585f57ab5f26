package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
import dev.pitcrew.core.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/// Keeps the objects of a list up to date: it lists them, then watches, and lists again where the
/// watch breaks. Where the user may list and not watch, it lists every so often.
public final class Reflector<T> {
  /// How long it waits.
  ///
  /// @param retry after a list or a watch that has failed; where there is no watch, `cap` is
  ///   between two lists
  /// @param watch after which the API server ends a watch, which then goes on with another
  public record Pauses(Backoff retry, Duration watch, Sleep sleep) {
    public static final Pauses USUAL =
        new Pauses(
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30)),
            Duration.ofMinutes(5),
            Thread::sleep);
  }

  /// As [Thread#sleep(Duration)].
  @FunctionalInterface
  public interface Sleep {
    void sleep(Duration time) throws InterruptedException;
  }

  /// @param isRead whether the objects are those of some time: not before the first list, and not
  ///   where the user may not list them
  /// @param refusal why the objects are not those of now; empty while they are
  /// @param since when they were last known to be
  public record State(boolean isRead, Optional<Refusal> refusal, Instant since) {}

  private final Listing<T> listing;
  private final Kubectl lists;
  private final Optional<Kubectl> watches;
  private final Pauses pauses;
  private final InstantSource clock;
  private final Runnable changed;
  private final Map<String, T> objects = new ConcurrentHashMap<>();
  private final AtomicReference<State> state;

  /// @param lists how lists are read, with a limit of time
  /// @param watches how changes are, without one; empty where the list is read again instead
  /// @param changed called after each change of what [#objects] or [#state] return
  public Reflector(
      Listing<T> listing,
      Kubectl lists,
      Optional<Kubectl> watches,
      Pauses pauses,
      InstantSource clock,
      Runnable changed) {
    this.listing = listing;
    this.lists = lists;
    this.watches = watches;
    this.pauses = pauses;
    this.clock = clock;
    this.changed = changed;
    state = new AtomicReference<>(new State(false, Optional.empty(), clock.instant()));
  }

  public State state() {
    return state.get();
  }

  /// Empty where none were read.
  public Optional<List<T>> objects() {
    return state.get().isRead() ? Optional.of(List.copyOf(objects.values())) : Optional.empty();
  }

  /// Runs until the thread is interrupted.
  public void run() {
    int failures = 0;
    try {
      while (true) {
        Instant begin = clock.instant();
        boolean mayWatch = listAndWatch();
        failures = hasLasted(begin, pauses.retry().cap()) ? 1 : failures + 1;
        pauses.sleep().sleep(mayWatch ? pauses.retry().ceiling(failures) : pauses.retry().cap());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// Returns when the list has to be read again, and whether changes of it may be watched.
  private boolean listAndWatch() {
    String version;
    try {
      version = list();
    } catch (RefusedException refused) {
      refuse(new Refusal(refused.kind(), refused.text()));
      return true;
    }
    return watches.isPresent() && watch(watches.get(), version);
  }

  private String list() {
    var read = new HashMap<String, T>();
    String version =
        lists.list(
            listing.path(),
            item -> listing.read(item).ifPresent(it -> read.put(key(item), it)),
            read::clear);
    boolean isSame = objects.equals(read);
    objects.keySet().retainAll(read.keySet());
    objects.putAll(read);
    State before = state.getAndSet(new State(true, Optional.empty(), clock.instant()));
    if (!isSame || !before.isRead() || before.refusal().isPresent()) {
      changed.run();
    }
    return version;
  }

  private boolean watch(Kubectl watches, String from) {
    var version = new AtomicReference<>(from);
    try {
      Instant begin;
      do {
        begin = clock.instant();
        watches.watch(
            listing.path(), version.get(), pauses.watch(), event -> apply(event, version));
      } while (hasLasted(begin, pauses.retry().base()));
      return true;
    } catch (RefusedException refused) { // the next list shows whether it is a matter of the watch
      return refused.kind() != Refusal.Kind.FORBIDDEN;
    }
  }

  private boolean hasLasted(Instant begin, Duration least) {
    return Duration.between(begin, clock.instant()).compareTo(least) >= 0;
  }

  private void apply(Json event, AtomicReference<String> version) {
    Json object = event.at("object");
    String type = event.at("type").text();
    if (type.equals("ERROR")) {
      throw new RefusedException(new Refusal(Refusal.Kind.EXPIRED, object.at("message").text()));
    }
    version.set(object.at("metadata", "resourceVersion").text());
    if (type.equals("BOOKMARK")) {
      return;
    }
    String key = key(object);
    Optional<T> now = type.equals("DELETED") ? Optional.empty() : listing.read(object);
    Optional<T> before =
        now.isPresent()
            ? Optional.ofNullable(objects.put(key, now.get()))
            : Optional.ofNullable(objects.remove(key));
    if (!before.equals(now)) { // most changes of a Node are heartbeats
      changed.run();
    }
  }

  /// What a user may not see, or what is no longer there, is dropped. The rest is what it was.
  private void refuse(Refusal refusal) {
    boolean isGone =
        refusal.kind() == Refusal.Kind.FORBIDDEN || refusal.kind() == Refusal.Kind.NOT_FOUND;
    if (isGone) {
      objects.clear();
    }
    State before = state.get();
    var now =
        new State(
            before.isRead() && !isGone,
            Optional.of(refusal),
            before.refusal().isPresent() ? before.since() : clock.instant());
    state.set(now);
    if (!now.equals(before)) {
      changed.run();
    }
  }

  private static String key(Json object) {
    return object.at("metadata", "namespace").text() + "/" + object.at("metadata", "name").text();
  }
}
