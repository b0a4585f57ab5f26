package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.FailedCreation;
import dev.pitcrew.cli.plan.Chain.Mark;
import dev.pitcrew.cli.plan.Chain.Step;
import java.util.List;

/// Why there is no such pod: its controller could not make it.
public final class MissingPod {
  private static final String QUOTA = "exceeded quota";

  private MissingPod() {}

  /// @param failures at least one
  public static Chain of(String namespace, String name, List<FailedCreation> failures) {
    FailedCreation last = failures.getLast();
    boolean isQuota = last.message().contains(QUOTA);
    return new Chain(
        false,
        "Pod %s/%s: not made".formatted(namespace, name),
        isQuota
            ? "a quota of the namespace does not allow it"
            : "the API server does not let its controller make it",
        List.of(new Step(Mark.BAD, last.owner() + " could not make it", List.of(last.message()))),
        isQuota
            ? List.of(
                "ask for less, end other pods of the namespace, or have the quota raised",
                "kubectl describe resourcequota -n " + namespace)
            : List.of("correct the template in " + last.owner() + " as the message says"));
  }
}
