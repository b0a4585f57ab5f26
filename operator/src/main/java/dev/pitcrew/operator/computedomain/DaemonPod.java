package dev.pitcrew.operator.computedomain;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A pod of the IMEX daemons of a domain.
///
/// @param node empty until the pod is scheduled
/// @param address empty until the pod has one
/// @param clique as the daemon labels its pod: empty text where the node has no fabric, absent
///   before it has looked
public record DaemonPod(String node, String address, Optional<String> clique, boolean isReady) {
  public static DaemonPod of(Pod pod) {
    Optional<PodStatus> status = Optional.ofNullable(pod.getStatus());
    return new DaemonPod(
        Optional.ofNullable(pod.getSpec()).map(PodSpec::getNodeName).orElse(""),
        status.map(PodStatus::getPodIP).orElse(""),
        DomainLabels.label(pod, DomainLabels.CLIQUE),
        status.map(PodStatus::getConditions).stream()
            .flatMap(List::stream)
            .anyMatch(DaemonPod::isReady));
  }

  private static boolean isReady(PodCondition condition) {
    return "Ready".equals(condition.getType()) && Objects.equals(condition.getStatus(), "True");
  }

  /// Whether it runs where there is no fabric, so that it reports to no clique.
  boolean isWithoutFabric() {
    return clique.filter(String::isEmpty).isPresent() && !node.isEmpty() && !address.isEmpty();
  }
}
