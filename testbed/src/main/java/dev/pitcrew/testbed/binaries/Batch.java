package dev.pitcrew.testbed.binaries;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// Programs of one module, which are made together.
///
/// @param first position of the first of them among all that are to be made, from 1
/// @param total how many are to be made, of all modules
record Batch(ToolModule module, Set<Binary> programs, int first, int total) {
  Batch {
    programs = Collections.unmodifiableSet(EnumSet.copyOf(programs));
  }

  /// One batch for each module, in the order in which a control plane waits for them.
  static List<Batch> of(Collection<Binary> missing) {
    var byModule =
        missing.stream()
            .collect(
                Collectors.groupingBy(
                    Binary::module, () -> new EnumMap<>(ToolModule.class), Collectors.toSet()));
    var batches = new ArrayList<Batch>();
    var first = 1;
    for (var module : byModule.entrySet()) {
      batches.add(new Batch(module.getKey(), module.getValue(), first, missing.size()));
      first += module.getValue().size();
    }
    return batches;
  }

  Batch with(Set<Binary> rest) {
    return new Batch(module, rest, first, total);
  }

  /// Which of all programs these are, to begin a line with.
  String heading() {
    var last = first + programs.size() - 1;
    return first == last
        ? "program %d of %d: ".formatted(first, total)
        : "programs %d-%d of %d: ".formatted(first, last, total);
  }

  String commands() {
    return programs.stream().map(Binary::command).collect(Collectors.joining(", "));
  }
}
