package dev.pitcrew.testbed.scenario.facts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Numbers the configuration digests of each workload in the order in which they are first seen.
///
/// A digest's value depends on how an operator computes it; that it changed between two steps does
/// not. Kept from step to step, therefore.
public final class Digests {
  private final Map<String, List<String>> seen = new HashMap<>();

  String numbered(String workload, String digest) {
    var known = seen.computeIfAbsent(workload, _ -> new ArrayList<>());
    if (!known.contains(digest)) {
      known.add(digest);
    }
    return "<digest #" + (known.indexOf(digest) + 1) + ">";
  }

  Digests copy() {
    var copy = new Digests();
    seen.forEach((workload, digests) -> copy.seen.put(workload, new ArrayList<>(digests)));
    return copy;
  }
}
