package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.kube.cache.Slim;
import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.policy.PodCause;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What upgrades read of pods, cut down as they arrive.
final class SlimPods {
  static final String MIRROR = "kubernetes.io/config.mirror";
  private static final Set<String> READ = Set.of(MIRROR, Adoption.DIGEST);

  private SlimPods() {}

  /// A pod of an operand: which driver it has, and how it is.
  static Pod operand(Pod pod) {
    return new PodBuilder()
        .withMetadata(metadata(pod))
        .withNewSpec()
        .withNodeName(pod.getSpec().getNodeName())
        .withInitContainers(withDigest(pod.getSpec().getInitContainers()))
        .withContainers(withDigest(pod.getSpec().getContainers()))
        .endSpec()
        .withStatus(PodCause.slim(pod.getStatus()))
        .build();
  }

  /// Any pod of a node: what it holds, and what becomes of it when it is evicted.
  static Pod workload(Pod pod) {
    Pod slim =
        new PodBuilder()
            .withMetadata(metadata(pod))
            .withNewSpec()
            .withNodeName(pod.getSpec().getNodeName())
            .withInitContainers(withResources(pod.getSpec().getInitContainers()))
            .withContainers(withResources(pod.getSpec().getContainers()))
            .withVolumes(emptyDirs(pod.getSpec().getVolumes()))
            .withResourceClaims(pod.getSpec().getResourceClaims())
            .endSpec()
            .withNewStatus()
            .withPhase(pod.getStatus() == null ? null : pod.getStatus().getPhase())
            .withResourceClaimStatuses(
                pod.getStatus() == null ? null : pod.getStatus().getResourceClaimStatuses())
            .withExtendedResourceClaimStatus(
                pod.getStatus() == null ? null : pod.getStatus().getExtendedResourceClaimStatus())
            .endStatus()
            .build();
    slim.getMetadata().setLabels(Slim.sharedLabels(pod));
    return slim;
  }

  private static ObjectMeta metadata(Pod pod) {
    ObjectMeta from = pod.getMetadata();
    Map<String, String> annotations =
        Objects.requireNonNullElse(from.getAnnotations(), Map.<String, String>of())
            .entrySet()
            .stream()
            .filter(annotation -> READ.contains(annotation.getKey()))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    return Slim.identity(pod)
        .withCreationTimestamp(from.getCreationTimestamp())
        .withOwnerReferences(from.getOwnerReferences())
        .withAnnotations(annotations)
        .build();
  }

  private static List<Container> withDigest(List<Container> containers) {
    return containers.stream()
        .map(container ->
            new ContainerBuilder()
                .withName(container.getName())
                .withImage(container.getImage())
                .withEnv(digest(container.getEnv()))
                .build())
        .toList();
  }

  private static List<EnvVar> digest(List<EnvVar> variables) {
    return variables.stream()
        .filter(variable -> variable.getName().equals(Adoption.VARIABLE))
        .toList();
  }

  private static List<Container> withResources(List<Container> containers) {
    return containers.stream()
        .map(container ->
            new ContainerBuilder()
                .withName(container.getName())
                .withResources(container.getResources())
                .build())
        .toList();
  }

  private static List<Volume> emptyDirs(@Nullable List<Volume> volumes) {
    return Objects.requireNonNullElse(volumes, List.<Volume>of()).stream()
        .filter(volume -> volume.getEmptyDir() != null)
        .toList();
  }
}
