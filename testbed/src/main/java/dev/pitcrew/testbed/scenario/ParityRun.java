package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.scenario.ScenarioResult.Broken;
import dev.pitcrew.testbed.scenario.ScenarioResult.Played;
import dev.pitcrew.testbed.scenario.compare.Comparison;
import dev.pitcrew.testbed.scenario.compare.FactComparison;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import dev.pitcrew.testbed.scenario.compare.RefusedFile;
import dev.pitcrew.testbed.scenario.facts.FactsText;
import dev.pitcrew.testbed.scenario.play.Scenario;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer;
import dev.pitcrew.testbed.scenario.play.ScenarioPlayer.Recorded;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// Plays scenarios on a cluster, compares their facts and prints what differs.
public final class ParityRun {
  private final ParityOptions options;
  private final ParityReport report;
  private final ExpectedFacts expected;
  private final IgnoreFile ignore;

  private ParityRun(ParityOptions options, ParityReport report, List<Scenario> all)
      throws IOException {
    this.options = options;
    this.report = report;
    this.expected = ExpectedFacts.read(options.rules().expected(), all);
    this.ignore = ignoreFile(options, names(all));
  }

  /// Runs the selected scenarios one after the other. Needs nothing but the options, so it also
  /// serves as a test of its own.
  ///
  /// @param out takes the report
  /// @throws RefusedFile where a scenario, the ignore file or another input breaks its rules
  public static ParityResult run(ParityOptions options, PrintWriter out)
      throws IOException, InterruptedException {
    var all = Scenario.readAll(options.selection().scenarios());
    var skipped = SkipList.read(options.selection().skipList(), names(all));
    var report = new ParityReport(out, options.output().isVerbose());
    var run = new ParityRun(options, report, all);
    var wanted = new TreeSet<>(names(all));
    wanted.removeAll(skipped.reasons().keySet());
    report.skipped(skipped.reasons());
    var results = run.playAll(selected(options, all, wanted));
    var result = ParityResult.of(wanted, results, run.ignore, options.rules().strict());
    report.end(result, run.expected);
    return result;
  }

  private static IgnoreFile ignoreFile(ParityOptions options, Set<String> scenarios)
      throws IOException {
    var file = options.rules().ignore();
    var ignore = file.isEmpty() ? IgnoreFile.none() : IgnoreFile.read(file.get());
    for (var line : ignore.lines()) {
      var unknown = new TreeSet<>(line.scenarios());
      unknown.removeAll(scenarios);
      if (options.rules().strict() && !unknown.isEmpty()) {
        throw new RefusedFile(
            file.orElseThrow(), line.number(), "there is no scenario " + unknown.first());
      }
    }
    return ignore;
  }

  /// A scenario that is asked for by name is played even where it is on the skip list.
  private static List<Scenario> selected(
      ParityOptions options, List<Scenario> all, Set<String> wanted) {
    var only = options.selection().only();
    var unknown = new TreeSet<>(only);
    unknown.removeAll(names(all));
    if (!unknown.isEmpty()) {
      throw new RefusedFile(
          options.selection().scenarios(), "there is no scenario " + unknown.first());
    }
    return all.stream()
        .filter(each -> only.isEmpty() ? wanted.contains(each.name()) : only.contains(each.name()))
        .toList();
  }

  private static Set<String> names(List<Scenario> scenarios) {
    return scenarios.stream().map(Scenario::name).collect(Collectors.toSet());
  }

  private List<ScenarioResult> playAll(List<Scenario> scenarios)
      throws IOException, InterruptedException {
    var results = new ArrayList<ScenarioResult>();
    try (var player = new ScenarioPlayer(options.stage(), options.operator(), options.quiet())) {
      for (var scenario : scenarios) {
        var result = play(player, scenario);
        report.scenario(result);
        results.add(result);
      }
    }
    return results;
  }

  private ScenarioResult play(ScenarioPlayer player, Scenario scenario)
      throws InterruptedException {
    var begin = System.nanoTime();
    try {
      var folder = Files.createDirectories(options.output().folder().resolve(scenario.name()));
      var recorded = player.play(scenario, folder.resolve("operator.log"));
      var took = Duration.ofNanos(System.nanoTime() - begin);
      return judged(scenario, recorded, folder, took);
    } catch (IOException | RuntimeException e) {
      // The reader looks at the scenario's line; the other scenarios still give results.
      return new Broken(scenario.name(), e.toString(), Duration.ofNanos(System.nanoTime() - begin));
    }
  }

  private Played judged(Scenario scenario, List<Recorded> recorded, Path folder, Duration took)
      throws IOException {
    var comparison = new FactComparison(scenario.name(), ignore);
    var comparisons = new LinkedHashMap<String, Comparison>();
    var notes = new ArrayList<String>();
    for (var part : recorded) {
      Files.writeString(folder.resolve(part.golden()), FactsText.indented(part.facts()));
      var golden = expected.of(scenario, part.golden());
      comparisons.put(part.golden(), comparison.compare(golden, part.facts()));
      notes.addAll(part.notes());
    }
    return new Played(scenario.name(), comparisons, notes, took);
  }
}
