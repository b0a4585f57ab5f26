package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.UpgradePolicySpec;
import dev.pitcrew.core.names.GpuResources;
import dev.pitcrew.kube.selector.LabelSelector;
import dev.pitcrew.operator.upgrade.NodePod;
import dev.pitcrew.operator.upgrade.NodePod.Owner;
import dev.pitcrew.operator.upgrade.PodSelectors;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Reads the pods of a node as upgrades look at them.
///
/// @param jobs selects pods that may finish; empty for none
/// @param drained selects pods that a drain moves
/// @param claims whether a pod holds a GPU by a ResourceClaim
/// @param asked the pods whose eviction was requested, and the outcome
record NodePodReading(
    Optional<LabelSelector> jobs, LabelSelector drained, Predicate<Pod> claims, Asked asked) {
  static final String DRAIN_SKIP = "nvidia.com/gpu-driver-upgrade-drain.skip";

  /// As an upgrade policy has it. A selector that cannot be read keeps nodes where they are,
  /// whichever pods it would select.
  static NodePodReading of(UpgradePolicySpec policy, Predicate<Pod> claims, Asked asked) {
    return new NodePodReading(
        Optional.of(policy.waitForCompletion().podSelectorOrDefault())
            .filter(it -> !it.isBlank())
            .flatMap(PodSelectors::read),
        PodSelectors.read(policy.drain().podSelectorOrDefault()).orElse(LabelSelector.of("")),
        claims,
        asked);
  }

  NodePod read(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    return new NodePod(
        DriverPodReading.name(pod),
        holdsGpu(pod),
        jobs.filter(selector -> selector.selects(labels)).isPresent(),
        drained.selects(labels) && !"true".equals(labels.get(DRAIN_SKIP)),
        owner(pod),
        !pod.getSpec().getVolumes().isEmpty(),
        pod.getMetadata().getDeletionTimestamp() != null,
        asked.refusal(pod.getMetadata().getUid()),
        Validations.instant(pod.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH));
  }

  /// By what the kubelet has allocated to it, and so by what it asks for: the operator sees no
  /// device.
  private boolean holdsGpu(Pod pod) {
    return Stream.concat(
                pod.getSpec().getInitContainers().stream(), pod.getSpec().getContainers().stream())
            .anyMatch(container -> asksForGpu(container.getResources()))
        || claims.test(pod);
  }

  private static boolean asksForGpu(@Nullable ResourceRequirements resources) {
    return resources != null
        && (asksForGpu(resources.getLimits()) || asksForGpu(resources.getRequests()));
  }

  private static boolean asksForGpu(@Nullable Map<String, Quantity> quantities) {
    return quantities != null
        && quantities.entrySet().stream()
            .anyMatch(it ->
                GpuResources.isGpu(it.getKey()) && it.getValue().getNumericalAmount().signum() > 0);
  }

  private static Owner owner(Pod pod) {
    if (Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.<String, String>of())
        .containsKey(SlimPods.MIRROR)) {
      return Owner.NODE;
    }
    Optional<OwnerReference> controller =
        Objects.requireNonNullElse(
                pod.getMetadata().getOwnerReferences(), List.<OwnerReference>of())
            .stream()
            .filter(it -> Boolean.TRUE.equals(it.getController()))
            .findFirst();
    return controller
        .map(it -> it.getKind().equals("DaemonSet") ? Owner.DAEMON_SET : Owner.CONTROLLER)
        .orElse(Owner.NONE);
  }
}
