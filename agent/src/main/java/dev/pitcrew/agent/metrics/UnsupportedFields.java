package dev.pitcrew.agent.metrics;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.Consumer;

/// Reports which counters a model of GPU does not have: one line a model, and one more only where
/// other counters are asked for.
final class UnsupportedFields {
  private final Consumer<String> log;
  private final Map<String, Set<String>> reported = new HashMap<>();

  /// @param log takes a line
  UnsupportedFields(Consumer<String> log) {
    this.log = log;
  }

  /// @param fields as the counters file names them
  void add(String model, SequencedSet<String> fields) {
    Set<String> known = reported.computeIfAbsent(model, _ -> new HashSet<>());
    var added = fields.stream().filter(known::add).toList();
    if (!added.isEmpty()) {
      log.accept(
          "GPU model %s: no series of %s, which NVML does not support there; pitcrew_metrics_unsupported has them by GPU, and a counters file without them asks for no more than there is"
              .formatted(model, String.join(", ", added)));
    }
  }
}
