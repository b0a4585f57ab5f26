package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.operand.driver.DriverManagerContainer;
import dev.pitcrew.operator.policy.PodCause;
import dev.pitcrew.operator.runtime.rollback.Rejections;
import dev.pitcrew.operator.upgrade.DriverPod;
import dev.pitcrew.operator.upgrade.DriverPod.Trouble;
import dev.pitcrew.operator.upgrade.DriverPod.Trouble.Kind;
import dev.pitcrew.operator.upgrade.PodName;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads driver pods and their DaemonSets.
final class DriverPodReading {
  /// Some pods by name, and what to do.
  private static final int LONGEST_WORDS = 500;

  private DriverPodReading() {}

  /// A driver pod beside what its DaemonSet asks for now. A pod without a digest is of a release
  /// that had none, and so of another template; one whose DaemonSet has none cannot be judged by
  /// it, and counts as current.
  ///
  /// @param deleted whether it was deleted, though the pod does not show it yet
  /// @param waits what the Node says that its driver manager waits for
  static DriverPod read(Pod pod, DaemonSet daemonSet, boolean deleted, Optional<String> waits) {
    Optional<String> wanted = Adoption.digestOf(daemonSet);
    Optional<String> present = Adoption.effectiveDigest(pod);
    return new DriverPod(
        name(pod),
        wanted.isEmpty() || wanted.equals(present),
        daemonSet.getMetadata().getName(),
        present.orElse(""),
        wanted.orElse(""),
        deleted || pod.getMetadata().getDeletionTimestamp() != null,
        isReady(pod),
        readySince(pod),
        restarts(pod),
        trouble(pod, waits),
        Rejections.noted(daemonSet));
  }

  private static Optional<Trouble> trouble(Pod pod, Optional<String> waits) {
    Optional<ContainerStatus> manager =
        pod.getStatus().getInitContainerStatuses().stream()
            .filter(container -> container.getName().equals(DriverManagerContainer.NAME))
            .filter(DriverPodReading::isLeftToRun)
            .findFirst();
    return manager
        .flatMap(it -> words(it, waits))
        .map(words -> new Trouble(Kind.MANAGER, words))
        .or(() -> PodCause.of(pod).map(cause -> new Trouble(kind(cause, manager), cause.text())));
  }

  private static boolean isLeftToRun(ContainerStatus container) {
    ContainerState state = container.getState();
    return state != null
        && (state.getTerminated() == null || state.getTerminated().getExitCode() != 0);
  }

  /// A manager that was killed could not take its word from the Node. One that is tried again has
  /// nothing new to say at first.
  private static Optional<String> words(ContainerStatus manager, Optional<String> waits) {
    return waits
        .filter(_ -> manager.getState().getRunning() != null)
        .or(() -> PodCause.lastOutput(manager))
        .map(words ->
            words.length() <= LONGEST_WORDS ? words : words.substring(0, LONGEST_WORDS) + "…");
  }

  /// NVIDIA's manager writes why it failed into its log only.
  private static Kind kind(PodCause cause, Optional<ContainerStatus> manager) {
    if (manager.filter(PodCause::hasFailed).isPresent()) {
      return Kind.MANAGER_FAILED;
    }
    if (manager.filter(it -> it.getState().getRunning() != null).isPresent()) {
      return Kind.MANAGER_AT_WORK;
    }
    return cause.stuck() ? Kind.STUCK : Kind.ON_ITS_WAY;
  }

  static PodName name(Pod pod) {
    return new PodName(
        pod.getMetadata().getNamespace(), pod.getMetadata().getName(), pod.getMetadata().getUid());
  }

  /// As in the NVIDIA GPU Operator: running, and all containers ready.
  private static boolean isReady(Pod pod) {
    List<ContainerStatus> containers = pod.getStatus().getContainerStatuses();
    return "Running".equals(pod.getStatus().getPhase())
        && !containers.isEmpty()
        && containers.stream().allMatch(it -> Boolean.TRUE.equals(it.getReady()));
  }

  private static Optional<Instant> readySince(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(it -> "Ready".equals(it.getType()) && "True".equals(it.getStatus()))
        .findFirst()
        .flatMap(it -> Validations.instant(it.getLastTransitionTime()));
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
