package dev.pitcrew.operator.policy;

import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.core.requests.Taint;
import dev.pitcrew.core.requests.Toleration;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.node.Taints;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// Nodes on which the DaemonSet controller will run a pod of a DaemonSet, as far as selector and
/// taints decide: the rules of its `NodeShouldRunDaemonPod`. Its own count lags behind the labels
/// of nodes, and a policy must not look ready because the controller has not counted yet.
///
/// @param count how many there are; zero if another program has added a node affinity, which only
///   the controller evaluates
/// @param keptOff the nodes with GPUs that have the labels, and a taint that is not tolerated
public record SuitableNodes(int count, Optional<KeptOff> keptOff) {
  /// Kubernetes itself sets them, on a node that is not usable.
  private static final List<String> OF_KUBERNETES =
      List.of("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/");

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

  /// Nodes that a taint keeps the pods of a DaemonSet off.
  ///
  /// @param nodes how many
  /// @param node the first of them
  public record KeptOff(int nodes, String node, Taint taint) {
    /// The same, as some have a pod all the same.
    Optional<KeptOff> butFor(int withPod) {
      return nodes > withPod
          ? Optional.of(new KeptOff(nodes - withPod, node, taint))
          : Optional.empty();
    }

    String sentence(String daemonSet) {
      return "DaemonSet %s is kept off %s by the taint %s: add %s to spec.daemonsets.tolerations of the ClusterPolicy, or to spec.tolerations of the NVIDIADriver, or label the node %s=false"
          .formatted(
              daemonSet,
              nodes == 1 ? "node " + node : "%d nodes, such as %s,".formatted(nodes, node),
              taint.text(),
              taint.toleration(),
              NodeLabels.DEPLOY_OPERANDS);
    }
  }

  /// Those for a pod of a DaemonSet.
  public static SuitableNodes of(PodSpec pod, Collection<Node> nodes) {
    if (pod.getNodeName() != null
        || (pod.getAffinity() != null && pod.getAffinity().getNodeAffinity() != null)) {
      return new SuitableNodes(0, Optional.empty());
    }
    List<Node> selected = nodes.stream().filter(node -> isSelected(pod, node)).toList();
    List<Node> keptOff =
        selected.stream().filter(node -> !untolerated(pod, node).isEmpty()).toList();
    List<Node> reported = keptOff.stream().filter(node -> isKeptFromGpus(pod, node)).toList();
    return new SuitableNodes(
        selected.size() - keptOff.size(),
        reported.stream()
            .min(Comparator.comparing(node -> node.getMetadata().getName()))
            .map(node ->
                new KeptOff(
                    reported.size(),
                    node.getMetadata().getName(),
                    untolerated(pod, node).getFirst())));
  }

  /// The taints of a node that keep those pods of DaemonSets off that do not tolerate them
  /// themselves. That of a cordon, and most of the node controller's, keep no pod off.
  public static List<Taint> decisiveTaints(Node node) {
    return Taints.of(node).stream().filter(taint -> !isToleratedByAll(taint)).toList();
  }

  private static boolean isSelected(PodSpec pod, Node node) {
    return LabelSelector.matches(
        Objects.requireNonNullElse(pod.getNodeSelector(), Map.of()), labels(node));
  }

  private static List<Taint> untolerated(PodSpec pod, Node node) {
    List<Toleration> tolerations = Taints.tolerations(pod.getTolerations());
    return decisiveTaints(node).stream().filter(taint -> !taint.isTolerated(tolerations)).toList();
  }

  /// Whether a taint that Kubernetes does not set itself keeps the pod from GPUs.
  private static boolean isKeptFromGpus(PodSpec pod, Node node) {
    return "true".equals(labels(node).get(NodeLabels.GPU_PRESENT))
        && !"false".equals(labels(node).get(NodeLabels.DEPLOY_OPERANDS))
        && untolerated(pod, node).stream()
            .noneMatch(taint -> OF_KUBERNETES.stream().anyMatch(taint.key()::startsWith));
  }

  private static Map<String, String> labels(Node node) {
    return Objects.requireNonNullElse(node.getMetadata().getLabels(), Map.of());
  }

  private static boolean isToleratedByAll(Taint taint) {
    return taint.isPreference() || taint.isTolerated(ADDED);
  }

  private static Toleration toleration(String key, String effect) {
    return new Toleration(key, "Exists", "", effect);
  }
}
