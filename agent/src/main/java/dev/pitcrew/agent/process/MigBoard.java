package dev.pitcrew.agent.process;

import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.status.MigFacts;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// Tells the board how the division of the GPUs stands. A GPU that somebody did not finish with is
/// held back whatever else is said, for the journal outlives the process.
record MigBoard(Board board, Journal journal) {

  /// Nothing is held back, nothing is needed.
  void leave(Optional<MigFacts> facts) {
    show(new MigView(facts, Map.of(), false));
  }

  /// Nothing can be said yet; what was said last stays.
  void unknown(String why) {
    told(new MigFacts(MigFacts.Phase.UNKNOWN, "", "", why));
  }

  /// What came of it, or what keeps it.
  void told(MigFacts facts) {
    show(new MigView(Optional.of(facts), withheld(journal.unfinished()), false));
  }

  /// @param gpus that nobody is to be given, by UUID
  /// @param needsDriver whether nobody else of the agent may have NVML open
  void pending(MigFacts facts, Collection<String> gpus, boolean needsDriver) {
    show(new MigView(Optional.of(facts), withheld(gpus), needsDriver));
  }

  /// The driver is everybody's again; what is held back stays so until the end is told.
  void returnDriver(Collection<String> gpus) {
    show(new MigView(now().facts(), withheld(gpus), false));
  }

  MigView now() {
    return board.now().mig();
  }

  private void show(MigView view) {
    board.change(now -> now.with(view));
  }

  private static Map<String, String> withheld(Collection<String> gpus) {
    return gpus.stream()
        .distinct()
        .collect(Collectors.toUnmodifiableMap(it -> it, _ -> "its MIG layout is being changed"));
  }
}
