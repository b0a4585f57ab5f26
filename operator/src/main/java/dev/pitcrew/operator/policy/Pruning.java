package dev.pitcrew.operator.policy;

import dev.pitcrew.kube.ObjectKey;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.operator.render.Operand;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// Which of the objects that a ClusterPolicy owns are no longer wanted. They are found by owner and
/// not by a label, so that those which the reference operator made go too.
public final class Pruning {
  /// One object to delete, and what becomes of its pods.
  public record Removal(HasMetadata object, Dependents dependents) {}

  private Pruning() {}

  public static List<Removal> unwanted(PolicyPlan plan, Collection<HasMetadata> owned) {
    Set<ObjectKey> staying = staying(plan);
    return owned.stream()
        .filter(object -> !staying.contains(ObjectKey.of(object)))
        .filter(object -> object.getMetadata().getDeletionTimestamp() == null)
        .flatMap(object -> removal(plan, object).stream())
        .toList();
  }

  private static Set<ObjectKey> staying(PolicyPlan plan) {
    Set<ObjectKey> staying = new HashSet<>();
    plan.resources().forEach(object -> staying.add(ObjectKey.of(object)));
    plan.daemonSets().forEach(object -> staying.add(ObjectKey.of(object)));
    for (OperandPlan operand : plan.operands()) {
      if (operand instanceof OperandPlan.HandedOver handedOver) {
        handedOver.resources().forEach(object -> staying.add(ObjectKey.of(object)));
      }
    }
    return staying;
  }

  private static Optional<Removal> removal(PolicyPlan plan, HasMetadata object) {
    var full = Optional.of(new Removal(object, Dependents.FOLLOW));
    if (!object.getKind().equals("DaemonSet")) {
      return full;
    }
    Optional<OperandPlan> operand = operandOf(plan, object.getMetadata().getName());
    if (operand.isEmpty()) {
      return full;
    }
    return switch (operand.get()) {
      case OperandPlan.Wanted _, OperandPlan.Unwanted _ -> full;
      case OperandPlan.HandedOver _ -> Optional.of(new Removal(object, Dependents.STAY));
      case OperandPlan.WithoutNodes _, OperandPlan.Blocked _ -> Optional.empty();
    };
  }

  /// The operand whose name is the longest start of the DaemonSet's: `nvidia-dcgm-exporter` is no
  /// variant of `nvidia-dcgm`.
  private static Optional<OperandPlan> operandOf(PolicyPlan plan, String name) {
    return plan.operands().stream()
        .filter(candidate -> isVariant(candidate.operand(), name))
        .max(Comparator.comparingInt(candidate -> candidate.operand().daemonSetName().length()));
  }

  private static boolean isVariant(Operand operand, String name) {
    String base = operand.daemonSetName();
    return !base.isEmpty() && (name.equals(base) || name.startsWith(base + "-"));
  }
}
