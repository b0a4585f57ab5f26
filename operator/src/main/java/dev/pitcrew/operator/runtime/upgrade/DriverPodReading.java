package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.operator.policy.PodCause;
import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.PodName;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads driver pods and their DaemonSets.
final class DriverPodReading {
  /// Variable of the driver's containers with the digest of all that a driver is installed by.
  static final String DIGEST = "DRIVER_CONFIG_DIGEST";

  private DriverPodReading() {}

  /// A driver pod beside what its DaemonSet asks for now. A pod without a digest is of a release
  /// that had none, and so of another template; one whose DaemonSet has none cannot be judged by
  /// it, and counts as current.
  ///
  /// @param deleted whether it was deleted, though the pod does not show it yet
  static DriverPod read(Pod pod, DaemonSet daemonSet, boolean deleted) {
    Optional<String> wanted = digest(daemonSet.getSpec().getTemplate().getSpec());
    Optional<String> present = digest(pod.getSpec());
    return new DriverPod(
        name(pod),
        wanted.isEmpty() || wanted.equals(present),
        wanted.orElse(""),
        deleted || pod.getMetadata().getDeletionTimestamp() != null,
        isReady(pod),
        restarts(pod),
        PodCause.of(pod).map(PodCause::text));
  }

  static PodName name(Pod pod) {
    return new PodName(
        pod.getMetadata().getNamespace(), pod.getMetadata().getName(), pod.getMetadata().getUid());
  }

  /// The digest of a driver pod, or of a template of one.
  static Optional<String> digest(PodSpec spec) {
    return Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream())
        .map(Container::getEnv)
        .flatMap(List::stream)
        .filter(variable -> variable.getName().equals(DIGEST))
        .map(EnvVar::getValue)
        .filter(value -> value != null && !value.isEmpty())
        .findFirst();
  }

  /// As the reference has it: running, and all containers ready.
  private static boolean isReady(Pod pod) {
    List<ContainerStatus> containers = pod.getStatus().getContainerStatuses();
    return "Running".equals(pod.getStatus().getPhase())
        && !containers.isEmpty()
        && containers.stream().allMatch(it -> Boolean.TRUE.equals(it.getReady()));
  }

  private static int restarts(Pod pod) {
    return Stream.concat(
            pod.getStatus().getInitContainerStatuses().stream(),
            pod.getStatus().getContainerStatuses().stream())
        .filter(container -> !Boolean.TRUE.equals(container.getReady()))
        .mapToInt(container -> Objects.requireNonNullElse(container.getRestartCount(), 0))
        .max()
        .orElse(0);
  }
}
