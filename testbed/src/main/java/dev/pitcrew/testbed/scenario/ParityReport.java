package dev.pitcrew.testbed.scenario;

import dev.pitcrew.testbed.scenario.ScenarioResult.Broken;
import dev.pitcrew.testbed.scenario.ScenarioResult.Played;
import dev.pitcrew.testbed.scenario.compare.Difference;
import dev.pitcrew.testbed.scenario.compare.IgnoreUse;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/// Prints a run as it goes: a line for each scenario, its differences right below, the sums last.
record ParityReport(PrintWriter out, boolean isVerbose) {
  private static final int FIRST_DIFFERENCES = 10;

  void scenario(ScenarioResult result) {
    switch (result) {
      case Played played -> played(played);
      case Broken broken -> broken(broken);
    }
    out.flush();
  }

  private void played(Played result) {
    var facts = score(result.equal(), result.compared()) + ", " + result.ignored() + " ignored";
    out.println(
        head(result.isEqual() ? "equal" : "NOT EQUAL", result.name())
            + "%-44s".formatted(facts)
            + seconds(result.took()));
    result.notes().forEach(note -> out.println("    note: " + note));
    var left = isVerbose ? Integer.MAX_VALUE : FIRST_DIFFERENCES;
    for (var part : result.comparisons().entrySet()) {
      var differences = part.getValue().differences();
      differences.stream().limit(left).forEach(each -> difference(part.getKey(), each));
      left = Math.max(0, left - differences.size());
    }
    var hidden = result.compared() - result.equal() - FIRST_DIFFERENCES;
    if (!isVerbose && hidden > 0) {
      out.println("    and " + hidden + " more, shown with --verbose");
    }
  }

  private void difference(String golden, Difference difference) {
    out.println("    " + golden + ": " + difference.path());
    out.println("        expected " + difference.expected());
    out.println("        actual   " + difference.actual());
  }

  private void broken(Broken result) {
    out.println(head("BROKEN", result.name()) + seconds(result.took()));
    result.problem().lines().forEach(text -> out.println("    " + text));
  }

  void skipped(Map<String, String> reasons) {
    reasons.forEach((name, reason) -> out.println(head("skipped", name) + reason));
  }

  /// The sums, with every deliberate difference and its reason.
  void end(ParityResult result, ExpectedFacts expected) {
    if (!expected.reasons().isEmpty()) {
      out.println();
      out.println("Expected facts of our own:");
      expected.reasons().forEach((name, reason) -> out.println(head("own", name) + reason));
    }
    if (!result.ignored().isEmpty()) {
      out.println();
      out.println("Ignored facts, by line of the ignore file:");
      result.ignored().forEach(this::ignored);
    }
    out.println();
    out.println(
        "TOTAL %s, %d ignored (%s)"
            .formatted(
                score(result.equal(), result.compared()),
                result.ignoredFacts(),
                percent(100 * result.ignoredShare())));
    result.problems().forEach(problem -> out.println("FAILED: " + problem));
    out.flush();
  }

  private void ignored(IgnoreUse use) {
    out.println("%5d: %s".formatted(use.line().number(), use.line().pattern()));
    out.println("       because %s".formatted(use.line().reason()));
    out.println(
        "       hides %d facts, %d of them different%s"
            .formatted(use.hidden(), use.different(), where(use)));
  }

  private static String where(IgnoreUse use) {
    var scenarios =
        use.hiddenByScenario().entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", "));
    return scenarios.isEmpty() ? "" : ": " + scenarios;
  }

  /// Never rounds up to 100 % where a fact differs.
  static String score(int equal, int compared) {
    if (compared == 0) {
      return "no facts compared";
    }
    var percent = equal == compared ? 100 : Math.min(99.99, 100.0 * equal / compared);
    return "%d of %d equal (%s)".formatted(equal, compared, percent(percent));
  }

  private static String percent(double percent) {
    return String.format(Locale.ROOT, "%.2f %%", percent);
  }

  private static String seconds(Duration took) {
    return String.format(Locale.ROOT, "%5.1f s", took.toMillis() / 1000.0);
  }

  private static String head(String verdict, String name) {
    return "%-9s %-32s ".formatted(verdict, name);
  }
}
