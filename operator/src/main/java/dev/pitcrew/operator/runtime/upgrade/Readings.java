package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.operator.upgrade.UpgradeNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What nodes were read to be, as long as nothing that they were read from has changed: of a
/// thousand nodes only some change between two plans.
///
/// For use by one thread at a time.
final class Readings {

  /// All that a node is read from while its pods are not looked at. Watched objects are replaced as
  /// a whole when they change, so that the same object says the same.
  ///
  /// @param driver its driver pod
  /// @param wanted what the pod's DaemonSet asks for: its uid and its digest, and what is noted on
  ///   it
  /// @param deleted whether the driver pod was deleted, though it does not show it
  @SuppressWarnings(
      "ReferenceEquality") // comparing what pods say would cost more than reading them
  record Origin(
      Node node,
      Optional<Pod> driver,
      String wanted,
      boolean deleted,
      List<Pod> validators,
      Optional<GpuNodeStatus> report) {

    private boolean isSame(Origin other) {
      return node == other.node
          && isSame(driver, other.driver)
          && wanted.equals(other.wanted)
          && deleted == other.deleted
          && isSame(report, other.report)
          && isSame(validators, other.validators);
    }

    private static <T> boolean isSame(Optional<T> one, Optional<T> other) {
      return one.orElse(null) == other.orElse(null);
    }

    private static boolean isSame(List<Pod> some, List<Pod> others) {
      if (some.size() != others.size()) {
        return false;
      }
      for (int i = 0; i < some.size(); i++) {
        if (some.get(i) != others.get(i)) {
          return false;
        }
      }
      return true;
    }
  }

  private record Reading(Origin origin, UpgradeNode node) {}

  private final Map<String, Reading> known = new HashMap<>();

  /// The node, read again only if it has to be.
  UpgradeNode read(Origin origin, Supplier<UpgradeNode> reading) {
    String name = origin.node().getMetadata().getName();
    @Nullable Reading before = known.get(name);
    if (before != null && before.origin().isSame(origin)) {
      return before.node();
    }
    UpgradeNode node = reading.get();
    known.put(name, new Reading(origin, node));
    return node;
  }

  /// Forgets all nodes but these.
  void keep(Set<String> names) {
    known.keySet().retainAll(names);
  }
}
