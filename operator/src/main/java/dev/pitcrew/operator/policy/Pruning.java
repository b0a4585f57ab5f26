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

/// Which of the objects that a ClusterPolicy owns are no longer wanted. They are found by owner and
/// not by a label, so that those which the reference operator made go too.
public final class Pruning {
  private Pruning() {}

  public static List<HasMetadata> unwanted(PolicyPlan plan, Collection<HasMetadata> owned) {
    Set<ObjectKey> wanted = new HashSet<>();
    plan.resources().forEach(object -> wanted.add(ObjectKey.of(object)));
    plan.daemonSets().forEach(object -> wanted.add(ObjectKey.of(object)));
    return owned.stream()
        .filter(object -> !wanted.contains(ObjectKey.of(object)))
        .filter(object -> !isDaemonSet(object) || mayGo(plan, object))
        .toList();
  }

  private static boolean isDaemonSet(HasMetadata object) {
    return object.getKind().equals("DaemonSet");
  }

  private static boolean mayGo(PolicyPlan plan, HasMetadata daemonSet) {
    return operandOf(plan, daemonSet.getMetadata().getName())
        .map(found ->
            switch (found) {
              case OperandPlan.Wanted _, OperandPlan.Unwanted _ -> true;
              case OperandPlan.WithoutNodes _, OperandPlan.Blocked _ -> false;
            })
        .orElse(true);
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
