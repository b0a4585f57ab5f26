package dev.pitcrew.operator.policy;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.operator.render.Operand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Which of the objects that a ClusterPolicy owns are no longer wanted. They are found by owner and
/// not by a label, so that those which the NVIDIA GPU Operator created go too.
public final class Pruning {
  private Pruning() {}

  /// DaemonSets of an operand stay while none of those that are to replace them could be created:
  /// their nodes would have neither.
  ///
  /// @param unapplied the objects of the plan that could not be applied
  public static List<HasMetadata> unwanted(
      PolicyPlan plan, Collection<HasMetadata> owned, Set<ObjectKey> unapplied) {
    Set<ObjectKey> staying = staying(plan);
    Set<ObjectKey> uncreated = new HashSet<>(unapplied);
    owned.stream().map(ObjectKey::of).forEach(uncreated::remove);
    return owned.stream()
        .filter(object -> !staying.contains(ObjectKey.of(object)))
        .filter(object -> !HandOver.isDeleted(object))
        .filter(object -> !isNotReplaced(plan, object, uncreated))
        .filter(object -> isUnwanted(plan, object))
        .toList();
  }

  private static Set<ObjectKey> staying(PolicyPlan plan) {
    Stream<HasMetadata> wanted =
        Stream.concat(plan.resources().stream(), plan.daemonSets().stream());
    Stream<HasMetadata> used =
        plan.operands().stream()
            .flatMap(operand ->
                switch (operand) {
                  case OperandPlan.HandedOver handedOver -> handedOver.resources().stream();
                  case OperandPlan.Replaced replaced when !replaced.agentIsAtWork() ->
                      replaced.resources().stream();
                  case OperandPlan.Replaced replaced -> replaced.ofAgent().stream();
                  case OperandPlan.Wanted _,
                      OperandPlan.WithoutNodes _,
                      OperandPlan.InvalidLayout _,
                      OperandPlan.Blocked _ ->
                      Stream.empty();
                });
    return Stream.concat(wanted, used).map(ObjectKey::of).collect(Collectors.toSet());
  }

  /// DaemonSets that are handed over are left to [HandOver].
  private static boolean isUnwanted(PolicyPlan plan, HasMetadata object) {
    if (!object.getKind().equals("DaemonSet")) {
      return true;
    }
    Optional<OperandPlan> operand = operandOf(plan, object.getMetadata().getName());
    if (operand.isEmpty()) {
      return true;
    }
    return switch (operand.get()) {
      case OperandPlan.Wanted _, OperandPlan.InvalidLayout _ -> true;
      case OperandPlan.Replaced replaced -> replaced.agentIsAtWork();
      case OperandPlan.HandedOver _, OperandPlan.WithoutNodes _, OperandPlan.Blocked _ -> false;
    };
  }

  private static boolean isNotReplaced(
      PolicyPlan plan, HasMetadata object, Set<ObjectKey> uncreated) {
    return object.getKind().equals("DaemonSet")
        && operandOf(plan, object.getMetadata().getName())
            .filter(operand ->
                operand instanceof OperandPlan.Wanted wanted
                    && !wanted.daemonSets().isEmpty()
                    && wanted.daemonSets().stream()
                        .map(ObjectKey::of)
                        .allMatch(uncreated::contains))
            .isPresent();
  }

  /// The operand whose name is the longest start of the DaemonSet's: `nvidia-dcgm-exporter` is no
  /// variant of `nvidia-dcgm`.
  static Optional<OperandPlan> operandOf(PolicyPlan plan, String name) {
    return plan.operands().stream()
        .filter(candidate -> isVariant(candidate.operand(), name))
        .max(Comparator.comparingInt(candidate -> candidate.operand().daemonSetName().length()));
  }

  private static boolean isVariant(Operand operand, String name) {
    String base = operand.daemonSetName();
    return !base.isEmpty() && (name.equals(base) || name.startsWith(base + "-"));
  }
}
