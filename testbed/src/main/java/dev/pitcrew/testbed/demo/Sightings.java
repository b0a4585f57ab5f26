package dev.pitcrew.testbed.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// When each of several facts was first seen, in the order in which they were named.
final class Sightings {
  /// A fact that comes to hold; `words` say how it is now.
  private static final class Fact {
    private final BooleanSupplier holds;
    private final Supplier<String> words;
    private @Nullable Duration after;

    private Fact(BooleanSupplier holds, Supplier<String> words) {
      this.holds = holds;
      this.words = words;
    }

    private boolean isSeen(Stopwatch watch) {
      if (after == null && holds.getAsBoolean()) {
        after = watch.elapsed();
      }
      return after != null;
    }
  }

  private final Stopwatch watch;
  private final SequencedMap<String, Fact> facts = new LinkedHashMap<>();

  /// @param watch since what brings the facts about
  Sightings(Stopwatch watch) {
    this.watch = watch;
  }

  Sightings of(String name, BooleanSupplier holds, Supplier<String> words) {
    facts.put(name, new Fact(holds, words));
    return this;
  }

  /// Looks at every change of the cluster until all are seen or time is up.
  Sightings await(LiveCluster cluster, Duration limit) {
    cluster.await(limit, this::areAllSeen);
    return this;
  }

  /// Looks at all of them, the first that is not seen hides no other.
  boolean areAllSeen() {
    var seen = facts.values().stream().filter(fact -> fact.isSeen(watch)).count();
    return seen == facts.size();
  }

  Optional<Duration> after(String name) {
    return Optional.ofNullable(facts.get(name)).map(fact -> fact.after);
  }

  Table table(String title) {
    return Table.of(
        List.of(title, "AFTER", "IS NOW"),
        facts.entrySet().stream()
            .map(entry ->
                List.of(
                    entry.getKey(),
                    after(entry.getKey()).map(Words::of).orElse("not seen"),
                    entry.getValue().words.get())));
  }

  /// One check for each.
  void check(Checks checks, String remedy) {
    var missing = new ArrayList<String>();
    facts.forEach((name, fact) -> {
      if (fact.after == null) {
        missing.add(name + " (" + fact.words.get() + ")");
      }
    });
    checks.equal(
        "seen: " + String.join(", ", facts.keySet()),
        "all",
        missing.isEmpty() ? "all" : "not " + String.join(", not ", missing),
        remedy);
  }
}
