package dev.pitcrew.testrunner;

import dev.pitcrew.testrunner.ClassResult.Note;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// Whether a run is green.
///
/// @param results of every job
/// @param again results of the second run of those jobs that failed
record Verdict(List<JobResult> results, List<JobResult> again, Exceptions exceptions) {

  boolean isGreen(boolean isContinuousIntegration) {
    return failed().isEmpty() && (!isContinuousIntegration || forbiddenSkips().isEmpty());
  }

  /// A test that passes only the second time fails the run, unless its cause is known and dated.
  private List<JobResult> failed() {
    return results.stream()
        .filter(result -> result.tests().isFailed())
        .filter(result -> !isFlaky(result) || !exceptions.allowFlaky(result.job()))
        .toList();
  }

  private boolean isFlaky(JobResult result) {
    Map<Job, JobResult> second =
        again.stream().collect(Collectors.toMap(JobResult::job, other -> other));
    var other = second.get(result.job());
    return other != null && !other.tests().isFailed();
  }

  private List<Note> forbiddenSkips() {
    return results.stream()
        .flatMap(result -> result.tests().skips().stream())
        .filter(skip -> !exceptions.allow(skip))
        .toList();
  }

  void print(PrintStream out, boolean isContinuousIntegration) {
    results.stream()
        .filter(result -> result.tests().isFailed())
        .forEach(result ->
            out.printf(
                "%s: %s%n",
                result.job().name(),
                isFlaky(result)
                    ? exceptions.allowFlaky(result.job())
                        ? "flaky, as build/test-exceptions says"
                        : "FLAKY: failed, then passed in a JVM of its own"
                    : "FAILED"));
    if (!isContinuousIntegration) {
      return;
    }
    forbiddenSkips()
        .forEach(skip ->
            out.printf(
                "%s: SKIPPED, which fails continuous integration (%s)%n",
                skip.test(), skip.text()));
  }

  /// In the form that test runners close with.
  String closingLine() {
    var passed = results.stream().mapToInt(result -> result.tests().passed()).sum();
    var failures = failed().stream().mapToInt(result -> result.tests().failures().size()).sum();
    var skipped = results.stream().mapToInt(result -> result.tests().skips().size()).sum();
    return "%d passed, %d failed, %d skipped".formatted(passed, failures, skipped);
  }
}
