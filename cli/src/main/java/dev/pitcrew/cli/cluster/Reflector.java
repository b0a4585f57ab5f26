package dev.pitcrew.cli.cluster;

import dev.pitcrew.cli.transport.Json;
import dev.pitcrew.cli.transport.Kubectl;
import dev.pitcrew.cli.transport.Refusal;
import dev.pitcrew.cli.transport.RefusedException;
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
  /// How soon what is read again, and how long a watch lasts.
  ///
  /// @param first after a first refusal; it doubles with each further one
  /// @param most the longest pause, and the one between two lists where there is no watch
  /// @param watch after which the API server ends a watch, which then goes on with another
  public record Pauses(Duration first, Duration most, Duration watch) {
    public static final Pauses USUAL =
        new Pauses(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(5));
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
    Duration pause = pauses.first();
    try {
      while (!Thread.currentThread().isInterrupted()) {
        try {
          String version = list();
          pause = pauses.first();
          watch(version);
        } catch (RefusedException refused) {
          refuse(new Refusal(refused.kind(), refused.text()));
          Thread.sleep(pause);
          pause = shorter(pause.multipliedBy(2), pauses.most());
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
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

  /// Returns when the list has to be read again.
  private void watch(String from) throws InterruptedException {
    var version = new AtomicReference<>(from);
    try {
      while (watches.isPresent()) {
        Instant begin = clock.instant();
        watches
            .get()
            .watch(listing.path(), version.get(), pauses.watch(), event -> apply(event, version));
        if (Duration.between(begin, clock.instant()).compareTo(pauses.first()) < 0) {
          Thread.sleep(pauses.first()); // an API server that ends each watch at once
        }
      }
    } catch (RefusedException refused) {
      if (refused.kind() == Refusal.Kind.INTERRUPTED) {
        throw refused;
      }
      if (refused.kind() != Refusal.Kind.FORBIDDEN) {
        return; // the list shows whether it is a matter of the watch alone
      }
    }
    Thread.sleep(pauses.most());
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

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static String key(Json object) {
    return object.at("metadata", "namespace").text() + "/" + object.at("metadata", "name").text();
  }
}
