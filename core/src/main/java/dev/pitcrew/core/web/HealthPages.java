package dev.pitcrew.core.web;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/// `/healthz` and `/readyz`.
///
/// Liveness means that the process answers. Readiness is a list of named checks: `200` when all
/// hold, else `503` with one line for each that does not.
public final class HealthPages {
  private HealthPages() {}

  /// @param checks asked for with each probe
  public static Map<String, Function<String, Answer>> of(Supplier<List<ReadinessCheck>> checks) {
    return Map.of("/healthz", _ -> Answer.text(200, "ok"), "/readyz", _ -> readiness(checks.get()));
  }

  private static Answer readiness(List<ReadinessCheck> checks) {
    List<String> problems = new ArrayList<>();
    for (ReadinessCheck check : checks) {
      check.problem().get().ifPresent(problem -> problems.add(check.name() + ": " + problem));
    }
    return problems.isEmpty()
        ? Answer.text(200, "ok")
        : Answer.text(503, "not ready\n" + String.join("\n", problems));
  }
}
