package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.scenario.ScenarioResult.Broken;
import dev.pitcrew.testbed.scenario.ScenarioResult.Played;
import dev.pitcrew.testbed.scenario.compare.IgnoreFile;
import dev.pitcrew.testbed.scenario.compare.IgnoreUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/// How a parity run went, and what keeps it from being a success.
///
/// @param wanted the names of all scenarios that are not on the skip list, played or not
/// @param scenarios those that were tried, in order
/// @param ignored what each line of the ignore file left out
/// @param strict whether a line that left nothing out is a problem
public record ParityResult(
    Set<String> wanted, List<ScenarioResult> scenarios, List<IgnoreUse> ignored, boolean strict) {

  /// At most this part of all facts may be left out.
  public static final double LARGEST_IGNORED_SHARE = 0.03;

  static ParityResult of(
      Set<String> wanted, List<ScenarioResult> scenarios, IgnoreFile ignore, boolean strict) {
    var comparisons =
        played(scenarios).stream()
            .collect(Collectors.toMap(Played::name, result -> result.comparisons().values()));
    return new ParityResult(
        wanted, List.copyOf(scenarios), IgnoreUse.of(ignore, comparisons), strict);
  }

  /// Whether every fact of every scenario is equal and the ignore file is in order.
  public boolean isParity() {
    return problems().isEmpty();
  }

  /// What is wrong, one sentence each; nothing after a successful run.
  public List<String> problems() {
    var problems = new ArrayList<String>();
    var broken = scenarios.size() - played(scenarios).size();
    var unequal = played(scenarios).stream().filter(result -> !result.isEqual()).count();
    if (scenarios.isEmpty()) {
      problems.add("no scenario was played");
    }
    if (unequal > 0) {
      problems.add(unequal + " scenario(s) not equal");
    }
    if (broken > 0) {
      problems.add(broken + " scenario(s) could not be played");
    }
    if (strict) {
      stale().forEach(use -> problems.add(staleProblem(use)));
    }
    if (isComplete() && ignoredShare() > LARGEST_IGNORED_SHARE) {
      problems.add(
          "%.2f %% of all facts are ignored, at most %.0f %% may be"
              .formatted(100 * ignoredShare(), 100 * LARGEST_IGNORED_SHARE));
    }
    return List.copyOf(problems);
  }

  private static String staleProblem(IgnoreUse use) {
    return "ignore line %d hides nothing: remove it".formatted(use.line().number());
  }

  /// The ignore lines that left out nothing although they could have.
  List<IgnoreUse> stale() {
    var names = played(scenarios).stream().map(Played::name).collect(Collectors.toSet());
    return ignored.stream().filter(use -> use.isStale(wanted, names)).toList();
  }

  /// The part of all facts that was left out, between 0 and 1. A few scenarios alone may be above
  /// the limit: it is enforced where all were played.
  public double ignoredShare() {
    var hidden = sum(Played::ignored);
    return hidden == 0 ? 0 : (double) hidden / (hidden + compared());
  }

  public int equal() {
    return sum(Played::equal);
  }

  public int compared() {
    return sum(Played::compared);
  }

  public int ignoredFacts() {
    return sum(Played::ignored);
  }

  private boolean isComplete() {
    return played(scenarios).stream()
        .map(Played::name)
        .collect(Collectors.toSet())
        .containsAll(wanted);
  }

  private int sum(ToIntFunction<Played> count) {
    return played(scenarios).stream().mapToInt(count).sum();
  }

  private static List<Played> played(List<ScenarioResult> scenarios) {
    var played = new ArrayList<Played>();
    for (var result : scenarios) {
      switch (result) {
        case Played each -> played.add(each);
        case Broken _ -> {}
      }
    }
    return played;
  }
}
