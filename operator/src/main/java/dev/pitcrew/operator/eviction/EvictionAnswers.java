package dev.pitcrew.operator.eviction;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What the API server's answers to an eviction mean. See [API-initiated
/// eviction](https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/).
public final class EvictionAnswers {
  private static final int OK = 200;
  private static final int CREATED = 201;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int TOO_MANY_REQUESTS = 429;

  /// As the API server says that another pod has the name by now; there are other conflicts, too.
  private static final Pattern ANOTHER_POD = Pattern.compile("UID in (the )?precondition");

  private static final String SEVERAL_BUDGETS = "more than one PodDisruptionBudget";

  /// As the API server names the budget in the cause of its refusal.
  private static final Pattern BUDGET = Pattern.compile("[Tt]he disruption budget (\\S+)");

  private EvictionAnswers() {}

  /// @param status of HTTP
  /// @param message in the API server's words
  /// @param causes in the API server's words
  public static EvictionOutcome meaning(
      PodToEvict pod, int status, String message, List<String> causes) {
    return switch (status) {
      case OK, CREATED -> new EvictionOutcome.Evicted();
      case NOT_FOUND -> new EvictionOutcome.Gone();
      case CONFLICT ->
          ANOTHER_POD.matcher(message).find() ? new EvictionOutcome.Gone() : failed(pod, message);
      case TOO_MANY_REQUESTS -> refused(pod, message, causes);
      default ->
          message.contains(SEVERAL_BUDGETS)
              ? new EvictionOutcome.Refused(
                  "%s: %s".formatted(pod.text(), BudgetRules.several("several PDBs select it")))
              : failed(pod, message);
    };
  }

  private static EvictionOutcome failed(PodToEvict pod, String message) {
    return new EvictionOutcome.Failed("%s: %s".formatted(pod.text(), message));
  }

  /// An API server that has too much to do answers so too, and names no budget.
  private static EvictionOutcome refused(PodToEvict pod, String message, List<String> causes) {
    for (String cause : causes) {
      Matcher budget = BUDGET.matcher(cause);
      if (budget.find()) {
        return new EvictionOutcome.Refused(
            "%s: PDB %s allows 0 disruptions (%s)".formatted(pod.text(), budget.group(1), cause));
      }
    }
    return failed(pod, message);
  }
}
