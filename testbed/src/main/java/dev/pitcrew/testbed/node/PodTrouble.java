package dev.pitcrew.testbed.node;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Why a pod does not run, in the kubelet's or the scheduler's words.
///
/// @param isOfImage whether its image is not to be had, which no wait heals where nothing is pulled
public record PodTrouble(String pod, String reason, String message, boolean isOfImage) {
  private static final Set<String> ON_ITS_WAY = Set.of("ContainerCreating", "PodInitializing");
  private static final Set<String> IMAGE =
      Set.of("ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName");

  /// Empty for a pod that runs, has ended well, or is on its way.
  public static Optional<PodTrouble> of(Pod pod) {
    return Stream.concat(containers(pod).flatMap(status -> ofContainer(pod, status)), ofPlace(pod))
        .findFirst();
  }

  private static Stream<ContainerStatus> containers(Pod pod) {
    return Stream.concat(
        pod.getStatus().getInitContainerStatuses().stream(),
        pod.getStatus().getContainerStatuses().stream());
  }

  private static Stream<PodTrouble> ofContainer(Pod pod, ContainerStatus status) {
    var state = Objects.requireNonNullElseGet(status.getState(), ContainerState::new);
    if (state.getWaiting() != null) {
      var reason = Objects.requireNonNullElse(state.getWaiting().getReason(), "Waiting");
      return ON_ITS_WAY.contains(reason)
          ? Stream.empty()
          : Stream.of(trouble(pod, reason, waitingFor(status, state.getWaiting().getMessage())));
    }
    if (state.getTerminated() != null && state.getTerminated().getExitCode() != 0) {
      return Stream.of(
          trouble(
              pod,
              Objects.requireNonNullElse(state.getTerminated().getReason(), "Error"),
              ended(status.getName(), state.getTerminated().getExitCode())));
    }
    return Stream.empty();
  }

  /// What its last try ended with says more than that there will be another one.
  private static String waitingFor(ContainerStatus status, @Nullable String message) {
    var last = status.getLastState() == null ? null : status.getLastState().getTerminated();
    if (last == null) {
      return Objects.requireNonNullElse(message, "");
    }
    return Objects.requireNonNullElseGet(
        last.getMessage(), () -> ended(status.getName(), last.getExitCode()));
  }

  private static String ended(String container, int exitCode) {
    return "container %s ended with status %d".formatted(container, exitCode);
  }

  private static Stream<PodTrouble> ofPlace(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .filter(condition ->
            condition.getType().equals("PodScheduled") && condition.getStatus().equals("False"))
        .map(condition -> trouble(pod, condition.getReason(), condition.getMessage()));
  }

  private static PodTrouble trouble(Pod pod, String reason, @Nullable String message) {
    return new PodTrouble(
        pod.getMetadata().getName(),
        reason,
        Objects.requireNonNullElse(message, ""),
        IMAGE.contains(reason));
  }

  @Override
  public String toString() {
    return "pod %s: %s%s".formatted(pod, reason, message.isEmpty() ? "" : ": " + message);
  }
}
