package dev.pitcrew.operator.eviction;

import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetStatus;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What disruption budgets say to an eviction now, by the rules of the API server (`eviction.go` of
/// its registry of pods, Kubernetes 1.36).
public final class BudgetRules {
  /// A pod that has not started, or that has ended, serves no client.
  private static final Set<String> UNGUARDED = Set.of("Pending", "Succeeded", "Failed");

  private static final String EVEN_IF_FEW_ARE_READY = "AlwaysAllow";

  private BudgetRules() {}

  /// Why the pod would not be evicted; empty where it would be.
  ///
  /// @param budgets of any namespaces
  public static Optional<String> refusal(Pod pod, List<PodDisruptionBudget> budgets) {
    if (isUnguarded(pod)) {
      return Optional.empty();
    }
    List<PodDisruptionBudget> ofPod =
        budgets.stream()
            .filter(budget ->
                Objects.equals(
                    budget.getMetadata().getNamespace(), pod.getMetadata().getNamespace()))
            .filter(budget -> selects(budget, pod))
            .toList();
    if (ofPod.size() > 1) {
      return Optional.of(text(pod, several("PDBs " + names(ofPod) + " select it")));
    }
    return ofPod.stream()
        .filter(budget -> isReady(pod) || !letsUnreadyGo(budget))
        .filter(budget -> !allowsOne(budget))
        .findFirst()
        .map(budget ->
            text(pod, "PDB %s allows 0 disruptions".formatted(budget.getMetadata().getName())));
  }

  /// Of a pod that has several, in words.
  static String several(String which) {
    return which + ", and the API server evicts no pod that has more than one: keep one of them";
  }

  private static String text(Pod pod, String why) {
    return "pod %s/%s: %s"
        .formatted(pod.getMetadata().getNamespace(), pod.getMetadata().getName(), why);
  }

  private static String names(List<PodDisruptionBudget> budgets) {
    return budgets.stream()
        .map(budget -> budget.getMetadata().getName())
        .sorted()
        .collect(Collectors.joining(" and "));
  }

  private static boolean isUnguarded(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null
        || (pod.getStatus() != null
            && UNGUARDED.contains(Objects.requireNonNullElse(pod.getStatus().getPhase(), "")));
  }

  private static boolean isReady(Pod pod) {
    return pod.getStatus() != null
        && Objects.requireNonNullElse(pod.getStatus().getConditions(), List.<PodCondition>of())
            .stream()
            .anyMatch(it -> "Ready".equals(it.getType()) && "True".equals(it.getStatus()));
  }

  private static boolean letsUnreadyGo(PodDisruptionBudget budget) {
    int desired = number(status(budget).getDesiredHealthy());
    return EVEN_IF_FEW_ARE_READY.equals(budget.getSpec().getUnhealthyPodEvictionPolicy())
        || (desired > 0 && number(status(budget).getCurrentHealthy()) >= desired);
  }

  /// A budget allows nothing that its controller has not observed since it was changed.
  private static boolean allowsOne(PodDisruptionBudget budget) {
    long observed = Objects.requireNonNullElse(status(budget).getObservedGeneration(), 0L);
    long generation = Objects.requireNonNullElse(budget.getMetadata().getGeneration(), 0L);
    return observed >= generation && number(status(budget).getDisruptionsAllowed()) > 0;
  }

  private static PodDisruptionBudgetStatus status(PodDisruptionBudget budget) {
    return Objects.requireNonNullElseGet(budget.getStatus(), PodDisruptionBudgetStatus::new);
  }

  private static int number(@Nullable Integer value) {
    return Objects.requireNonNullElse(value, 0);
  }

  static boolean selects(PodDisruptionBudget budget, Pod pod) {
    var selector = budget.getSpec().getSelector();
    if (selector == null) {
      return false; // an absent one selects nothing, an empty one everything
    }
    Map<String, String> labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
    return labels
            .entrySet()
            .containsAll(
                Objects.requireNonNullElse(selector.getMatchLabels(), Map.<String, String>of())
                    .entrySet())
        && Objects.requireNonNullElse(
                selector.getMatchExpressions(), List.<LabelSelectorRequirement>of())
            .stream()
            .allMatch(it -> holds(it, labels));
  }

  private static boolean holds(LabelSelectorRequirement requirement, Map<String, String> labels) {
    String key = requirement.getKey();
    boolean among = labels.containsKey(key) && requirement.getValues().contains(labels.get(key));
    return switch (requirement.getOperator()) {
      case "In" -> among;
      case "NotIn" -> !among;
      case "Exists" -> labels.containsKey(key);
      case "DoesNotExist" -> !labels.containsKey(key);
      default -> true; // of a later release: rather name a budget too many
    };
  }
}
