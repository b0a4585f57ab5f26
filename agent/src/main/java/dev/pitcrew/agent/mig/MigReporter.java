package dev.pitcrew.agent.mig;

import dev.pitcrew.agent.mig.change.Journal;
import dev.pitcrew.agent.status.plan.MigFacts;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/// Reports the state of the MIG layout. A GPU with an unfinished change is withheld in any case,
/// since the journal outlives the process.
final class MigReporter {
  private final Journal journal;
  private final Consumer<MigReport> reports;
  private MigReport last = MigReport.UNKNOWN;

  MigReporter(Journal journal, Consumer<MigReport> reports) {
    this.journal = journal;
    this.reports = reports;
  }

  /// Nothing is held back, nothing is needed.
  void leave(Optional<MigFacts> facts) {
    show(new MigReport(facts, Map.of(), false));
  }

  /// Nothing can be said yet; what was said last stays.
  void unknown(String why) {
    report(new MigFacts(MigFacts.Phase.UNKNOWN, "", "", why));
  }

  /// What came of it, or what keeps it.
  void report(MigFacts facts) {
    show(new MigReport(Optional.of(facts), withheld(journal.unfinished()), false));
  }

  /// @param gpus that must not be allocated, by UUID
  /// @param needsDriver whether no other part of the agent may have NVML open
  void pending(MigFacts facts, Collection<String> gpus, boolean needsDriver) {
    show(new MigReport(Optional.of(facts), withheld(gpus), needsDriver));
  }

  /// All parts of the agent may open NVML again; withheld GPUs stay so until the end is reported.
  void returnDriver(Collection<String> gpus) {
    show(new MigReport(now().facts(), withheld(gpus), false));
  }

  MigReport now() {
    return last;
  }

  private void show(MigReport view) {
    last = view;
    reports.accept(view);
  }

  private static Map<String, String> withheld(Collection<String> gpus) {
    return gpus.stream()
        .distinct()
        .collect(Collectors.toUnmodifiableMap(it -> it, _ -> "its MIG layout is being changed"));
  }
}
