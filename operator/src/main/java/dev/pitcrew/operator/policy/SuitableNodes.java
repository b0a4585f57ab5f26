package dev.pitcrew.operator.policy;

import dev.pitcrew.operator.node.Taints;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Nodes on which the DaemonSet controller will run a pod of a DaemonSet, as far as selector and
/// taints tell: the rules of its `NodeShouldRunDaemonPod`. Its own count lags behind the labels of
/// nodes, and a policy must not look ready because nobody has counted yet.
public final class SuitableNodes {
  private static final String NO_EXECUTE = "NoExecute";
  private static final String NO_SCHEDULE = "NoSchedule";

  /// What the controller adds to the pods of every DaemonSet.
  private static final List<Toleration> ADDED =
      List.of(
          toleration("node.kubernetes.io/not-ready", NO_EXECUTE),
          toleration("node.kubernetes.io/unreachable", NO_EXECUTE),
          toleration("node.kubernetes.io/disk-pressure", NO_SCHEDULE),
          toleration("node.kubernetes.io/memory-pressure", NO_SCHEDULE),
          toleration("node.kubernetes.io/pid-pressure", NO_SCHEDULE),
          toleration("node.kubernetes.io/unschedulable", NO_SCHEDULE));

  private SuitableNodes() {}

  /// How many of `nodes` suit a pod, or zero if somebody has added an affinity to nodes, of which
  /// only the controller can tell.
  public static int count(PodSpec pod, Collection<Node> nodes) {
    if (pod.getNodeName() != null
        || (pod.getAffinity() != null && pod.getAffinity().getNodeAffinity() != null)) {
      return 0;
    }
    return (int) nodes.stream().filter(node -> suits(pod, node)).count();
  }

  /// The taints of a node that keep those pods of DaemonSets off that do not tolerate them
  /// themselves. That of a cordon, and most of the node controller's, keep nobody off.
  public static List<Taint> decisiveTaints(Node node) {
    return Taints.of(node).stream().filter(taint -> !isToleratedByAll(taint)).toList();
  }

  private static boolean suits(PodSpec pod, Node node) {
    Map<String, String> labels =
        Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
    Map<String, String> selector = Objects.requireNonNullElse(pod.getNodeSelector(), Map.of());
    return selector.entrySet().stream()
            .allMatch(wanted -> wanted.getValue().equals(labels.get(wanted.getKey())))
        && decisiveTaints(node).stream()
            .allMatch(taint -> Taints.isTolerated(taint, tolerations(pod)));
  }

  private static List<Toleration> tolerations(PodSpec pod) {
    return Objects.requireNonNullElse(pod.getTolerations(), List.of());
  }

  private static boolean isToleratedByAll(Taint taint) {
    return Taints.isPreference(taint) || Taints.isTolerated(taint, ADDED);
  }

  private static Toleration toleration(String key, String effect) {
    return new TolerationBuilder().withKey(key).withOperator("Exists").withEffect(effect).build();
  }
}
