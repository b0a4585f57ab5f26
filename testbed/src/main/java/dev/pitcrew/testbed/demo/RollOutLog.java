package dev.pitcrew.testbed.demo;

import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/// When each node came to each of its states, and how many were out of service at once.
final class RollOutLog {
  private static final List<String> SHOWN =
      List.of(
          "pod-deletion-required", "pod-restart-required", "validation-required", RollOutNode.DONE);
  private static final String UNSEEN = "-";

  private final Stopwatch watch;
  private final Map<String, RollOutNode> nodes = new LinkedHashMap<>();
  private final Map<String, Map<String, Duration>> seen = new HashMap<>();
  private final SequencedMap<String, String> failures = new LinkedHashMap<>();
  private int mostCordoned;

  /// @param watch since the roll-out began
  RollOutLog(Stopwatch watch) {
    this.watch = watch;
  }

  /// Notes what is new.
  void look(Collection<RollOutNode> now) {
    var elapsed = watch.elapsed();
    for (var node : now) {
      nodes.put(node.name(), node);
      var states = seen.computeIfAbsent(node.name(), _ -> new HashMap<>());
      // Until it has begun, a node is done with the former driver.
      if (!states.isEmpty() || !node.state().equals(RollOutNode.DONE)) {
        states.putIfAbsent(node.state(), elapsed);
      }
    }
    now.stream()
        .filter(node -> node.state().equals(RollOutNode.FAILED) && !node.blocker().isEmpty())
        .forEach(node -> failures.put(node.name(), node.blocker()));
    mostCordoned =
        Math.max(mostCordoned, (int) now.stream().filter(RollOutNode::isCordoned).count());
  }

  int mostCordoned() {
    return mostCordoned;
  }

  /// The nodes that failed, and why.
  SequencedMap<String, String> failures() {
    return failures;
  }

  /// When a node was first seen to be past waiting.
  Optional<Duration> began(String node) {
    return seen.getOrDefault(node, Map.of()).entrySet().stream()
        .filter(entry -> !entry.getKey().equals(RollOutNode.WAITING))
        .map(Map.Entry::getValue)
        .min(Comparator.naturalOrder());
  }

  Optional<Duration> done(String node) {
    return Optional.ofNullable(seen.getOrDefault(node, Map.of()).get(RollOutNode.DONE));
  }

  /// The nodes of a wave.
  List<RollOutNode> wave(String name) {
    return nodes.values().stream().filter(node -> node.wave().equals(name)).toList();
  }

  /// Such as `5 of 12 nodes done, 4 under way`.
  String words() {
    var done = nodes.values().stream().filter(it -> it.state().equals(RollOutNode.DONE)).count();
    var waiting =
        nodes.values().stream().filter(it -> it.state().equals(RollOutNode.WAITING)).count();
    return "%d of %s done, %d under way"
        .formatted(done, Words.counted(nodes.size(), "node"), nodes.size() - done - waiting);
  }

  /// In the order in which the nodes began.
  Table table() {
    return Table.of(
        List.of("NODE", "WAVE", "HAS DRIVER", "BEGAN", "PODS GO", "RESTART", "VALIDATE", "DONE"),
        nodes.values().stream()
            .sorted(
                Comparator.comparing((RollOutNode node) -> began(node.name()).orElse(Duration.ZERO))
                    .thenComparing(RollOutNode::name))
            .map(this::row));
  }

  private List<String> row(RollOutNode node) {
    var times =
        SHOWN.stream()
            .map(state -> seen.getOrDefault(node.name(), Map.of()).get(state))
            .map(time -> Optional.ofNullable(time).map(Words::of).orElse(UNSEEN));
    return Stream.concat(
            Stream.of(
                node.name(),
                node.wave(),
                node.driver(),
                began(node.name()).map(Words::of).orElse(UNSEEN)),
            times)
        .toList();
  }
}
