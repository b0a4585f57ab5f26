package dev.pitcrew.operator.requests;

import dev.pitcrew.core.requests.GpuDemand;
import dev.pitcrew.kube.cache.Slim;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which pods are looked at, and what is kept of them. A cluster makes pods by the thousand, and
/// nearly all of them are none of our business.
public final class WaitingPods {
  /// Only pods that no node has yet: the API server selects by these fields.
  public static final String FIELDS = "status.phase=Pending,spec.nodeName=";

  private static final PodCondition UNSCHEDULABLE =
      new PodConditionBuilder()
          .withType("PodScheduled")
          .withStatus("False")
          .withReason("Unschedulable")
          .build();

  private WaitingPods() {}

  /// The scheduler has looked for a node for a pod that asks for GPUs, and has found none. One that
  /// is gated or was never looked at may change yet.
  public static boolean waits(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && conditions(pod).anyMatch(WaitingPods::isUnschedulable)
        && !RequestReading.demand(pod.getSpec()).isEmpty();
  }

  /// Name, age, the containers that ask for GPUs, where it may run, and whether the scheduler has
  /// found no node.
  public static Pod slim(Pod pod) {
    return new PodBuilder()
        .withMetadata(
            Slim.identity(pod)
                .withCreationTimestamp(pod.getMetadata().getCreationTimestamp())
                .build())
        .withNewSpec()
        .withContainers(asking(pod.getSpec().getContainers()))
        .withInitContainers(asking(pod.getSpec().getInitContainers()))
        .withNodeSelector(pod.getSpec().getNodeSelector())
        .withAffinity(required(pod.getSpec()))
        .withTolerations(RequestReading.tolerations(pod.getSpec()))
        .endSpec()
        .withNewStatus()
        .withConditions(
            conditions(pod).filter(WaitingPods::isUnschedulable).map(_ -> UNSCHEDULABLE).toList())
        .endStatus()
        .build();
  }

  private static @Nullable Affinity required(PodSpec pod) {
    return RequestReading.required(pod)
        .map(required ->
            new AffinityBuilder()
                .withNewNodeAffinity()
                .withRequiredDuringSchedulingIgnoredDuringExecution(required)
                .endNodeAffinity()
                .build())
        .orElse(null);
  }

  private static List<Container> asking(@Nullable List<Container> containers) {
    return Objects.requireNonNullElse(containers, List.<Container>of()).stream()
        .filter(container -> !limits(container).isEmpty())
        .map(container ->
            new ContainerBuilder()
                .withName(container.getName())
                .withRestartPolicy(container.getRestartPolicy())
                .withNewResources()
                .withLimits(limits(container))
                .endResources()
                .build())
        .toList();
  }

  private static Map<String, Quantity> limits(Container container) {
    var limits = new HashMap<>(RequestReading.limits(container));
    limits.keySet().removeIf(resource -> !resource.startsWith(GpuDemand.PREFIX));
    return limits;
  }

  private static Stream<PodCondition> conditions(Pod pod) {
    return pod.getStatus() == null
        ? Stream.empty()
        : Objects.requireNonNullElse(pod.getStatus().getConditions(), List.<PodCondition>of())
            .stream();
  }

  private static boolean isUnschedulable(PodCondition condition) {
    return UNSCHEDULABLE.getType().equals(condition.getType())
        && UNSCHEDULABLE.getStatus().equals(condition.getStatus())
        && UNSCHEDULABLE.getReason().equals(condition.getReason());
  }
}
