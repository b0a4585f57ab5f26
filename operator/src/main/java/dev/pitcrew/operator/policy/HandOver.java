package dev.pitcrew.operator.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Driver DaemonSets that go while their pods stay, for an NVIDIADriver to take over.
///
/// Those of several kernels select the same pods. As soon as one of them has left its pods behind,
/// another that still lives would adopt them, and delete them for running on a node that it does
/// not serve. So none leaves its pods before all of them are being deleted, as from then on the
/// DaemonSet controller does nothing for them any more; a finalizer holds them until then.
///
/// @param leaving those that go
/// @param released those that were held, and are to stay after all
public record HandOver(List<DaemonSet> leaving, List<DaemonSet> released) {
  /// Holds a DaemonSet that is being deleted.
  public static final String FINALIZER = "pitcrew.dev/pods-stay";

  /// What a plan hands over. A DaemonSet whose deletion a former operator has begun is deleted
  /// whatever is wanted by now, as a deletion cannot be withdrawn.
  public static HandOver of(PolicyPlan plan, Collection<? extends HasMetadata> owned) {
    Predicate<DaemonSet> handedOver =
        daemonSet ->
            Pruning.operandOf(plan, daemonSet.getMetadata().getName())
                .filter(OperandPlan.HandedOver.class::isInstance)
                .isPresent();
    return new HandOver(
        daemonSets(owned).filter(it -> isDeleted(it) ? isHeld(it) : handedOver.test(it)).toList(),
        daemonSets(owned)
            .filter(it -> isHeld(it) && !isDeleted(it) && !handedOver.test(it))
            .toList());
  }

  /// What is left to do where no ClusterPolicy is in force any more.
  public static HandOver begun(Collection<DaemonSet> all) {
    return new HandOver(
        all.stream().filter(it -> isHeld(it) && isDeleted(it)).toList(),
        all.stream().filter(it -> isHeld(it) && !isDeleted(it)).toList());
  }

  /// Whether its deletion has been requested.
  public static boolean isDeleted(HasMetadata object) {
    return object.getMetadata().getDeletionTimestamp() != null;
  }

  /// Whether an operator holds it, deleted or not.
  public static boolean isHeld(HasMetadata object) {
    return object.getMetadata().getFinalizers().contains(FINALIZER);
  }

  private static Stream<DaemonSet> daemonSets(Collection<? extends HasMetadata> owned) {
    return owned.stream().filter(DaemonSet.class::isInstance).map(DaemonSet.class::cast);
  }
}
