package dev.pitcrew.operator.policy;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Why a pod is not ready, in the words of the kubelet or the scheduler.
///
/// @param pod name of the pod
/// @param node where it runs, or empty
/// @param stuck whether it cannot continue without a change
/// @param text what holds it up
public record PodCause(String pod, String node, boolean stuck, String text) {
  private static final Set<String> ON_ITS_WAY = Set.of("ContainerCreating", "PodInitializing");
  private static final String CRASHED = "CrashLoopBackOff";
  private static final int LONGEST_MESSAGE = 160;

  /// Some pods by name, and what to do.
  private static final int LONGEST_LINE = 500;

  /// Of several pods the one that explains most: a stuck one before one that is on its way.
  public static Optional<PodCause> worst(Stream<Pod> pods) {
    return pods.map(PodCause::of)
        .flatMap(Optional::stream)
        .min(
            Comparator.comparing((PodCause cause) -> !cause.stuck())
                .thenComparing(PodCause::node)
                .thenComparing(PodCause::pod));
  }

  public static Optional<PodCause> of(Pod pod) {
    if (isReady(pod) || pod.getMetadata().getDeletionTimestamp() != null) {
      return Optional.empty();
    }
    return unscheduled(pod)
        .or(() -> failed(pod))
        .or(() -> container(pod, true))
        .or(() -> container(pod, false));
  }

  /// What a cause is derived from, and nothing else: an install has tens of thousands of pods that
  /// are not ready.
  public static PodStatus slim(@Nullable PodStatus status) {
    var slim = new PodStatus();
    if (status != null) {
      slim.setPhase(status.getPhase());
      slim.setReason(status.getReason());
      slim.setMessage(status.getMessage());
      slim.setConditions(status.getConditions());
      slim.setInitContainerStatuses(slim(status.getInitContainerStatuses()));
      slim.setContainerStatuses(slim(status.getContainerStatuses()));
    }
    return slim;
  }

  private static List<ContainerStatus> slim(List<ContainerStatus> containers) {
    return containers.stream()
        .map(container ->
            new ContainerStatusBuilder()
                .withName(container.getName())
                .withReady(container.getReady())
                .withRestartCount(container.getRestartCount())
                .withState(container.getState())
                .withLastState(slim(container.getLastState()))
                .build())
        .toList();
  }

  private static @Nullable ContainerState slim(@Nullable ContainerState last) {
    if (last == null || last.getTerminated() == null) {
      return null;
    }
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(last.getTerminated().getExitCode())
        .withMessage(lastLine(last.getTerminated().getMessage()).orElse(null))
        .endTerminated()
        .build();
  }

  /// What a container said when it failed the last time, which explains more than that it is
  /// started again; nothing of one that cannot be started for another reason.
  public static Optional<String> lastOutput(ContainerStatus status) {
    return lastFailure(status).flatMap(failure -> lastLine(failure.getMessage()));
  }

  /// Whether a container ran and failed, and either ends with that or is started again.
  public static boolean hasFailed(ContainerStatus status) {
    return lastFailure(status).isPresent();
  }

  private static Optional<ContainerStateTerminated> lastFailure(ContainerStatus status) {
    boolean isStarted =
        Optional.ofNullable(status.getState())
            .map(ContainerState::getWaiting)
            .filter(waiting -> !CRASHED.equals(waiting.getReason()))
            .isEmpty();
    return Stream.of(status.getState(), status.getLastState())
        .filter(_ -> isStarted)
        .flatMap(state -> failure(state).stream())
        .findFirst();
  }

  private static Optional<ContainerStateTerminated> failure(@Nullable ContainerState state) {
    return Optional.ofNullable(state)
        .map(ContainerState::getTerminated)
        .filter(terminated -> terminated.getExitCode() != 0);
  }

  /// Where a container has left no words of its own, its message is the end of its log.
  private static Optional<String> lastLine(@Nullable String message) {
    return Optional.ofNullable(message)
        .flatMap(it -> it.strip().lines().reduce((_, next) -> next))
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .map(line -> cut(line, LONGEST_LINE));
  }

  public static boolean isReady(Pod pod) {
    return condition(pod, "Ready").filter(ready -> ready.getStatus().equals("True")).isPresent();
  }

  /// For a person: which pod, where, and what.
  public String sentence() {
    return node.isEmpty()
        ? "pod %s: %s".formatted(pod, text)
        : "pod %s on node %s: %s".formatted(pod, node, text);
  }

  private static Optional<PodCause> unscheduled(Pod pod) {
    return condition(pod, "PodScheduled")
        .filter(scheduled -> scheduled.getStatus().equals("False"))
        .map(scheduled -> cause(pod, true, said(scheduled.getReason(), scheduled.getMessage())));
  }

  private static Optional<PodCause> failed(Pod pod) {
    return "Failed".equals(pod.getStatus().getPhase())
        ? Optional.of(
            cause(pod, true, said(pod.getStatus().getReason(), pod.getStatus().getMessage())))
        : Optional.empty();
  }

  private static Optional<PodCause> container(Pod pod, boolean stuck) {
    return Stream.of(
            pod.getStatus().getInitContainerStatuses(), pod.getStatus().getContainerStatuses())
        .flatMap(List::stream)
        .flatMap(status -> (stuck ? stuck(status) : underWay(status)).stream())
        .findFirst()
        .map(text -> cause(pod, stuck, text));
  }

  private static Optional<String> stuck(ContainerStatus status) {
    ContainerState state = status.getState();
    if (state == null) {
      return Optional.empty();
    }
    if (state.getWaiting() != null
        && !ON_ITS_WAY.contains(Objects.requireNonNullElse(state.getWaiting().getReason(), ""))) {
      return Optional.of(
          "container %s: %s"
              .formatted(
                  status.getName(),
                  said(
                      state.getWaiting().getReason(),
                      lastOutput(status).orElse(state.getWaiting().getMessage()))));
    }
    if (state.getTerminated() != null && state.getTerminated().getExitCode() != 0) {
      return Optional.of(
          "container %s ended with exit code %d: %s"
              .formatted(
                  status.getName(),
                  state.getTerminated().getExitCode(),
                  said(state.getTerminated().getReason(), lastOutput(status).orElse(null))));
    }
    return Optional.empty();
  }

  private static Optional<String> underWay(ContainerStatus status) {
    boolean running = status.getState() != null && status.getState().getRunning() != null;
    return running && !Boolean.TRUE.equals(status.getReady())
        ? Optional.of("container %s is not done yet".formatted(status.getName()))
        : Optional.empty();
  }

  private static PodCause cause(Pod pod, boolean stuck, String text) {
    return new PodCause(
        pod.getMetadata().getName(),
        Objects.requireNonNullElse(pod.getSpec().getNodeName(), ""),
        stuck,
        text);
  }

  private static String said(@Nullable String reason, @Nullable String message) {
    String text =
        Stream.of(reason, message)
            .filter(part -> part != null && !part.isBlank())
            .reduce((first, second) -> first + ": " + second)
            .orElse("no reason given");
    return cut(text, LONGEST_MESSAGE);
  }

  private static String cut(String text, int longest) {
    return text.length() <= longest ? text : text.substring(0, longest) + "…";
  }

  private static Optional<PodCondition> condition(Pod pod, String type) {
    return pod.getStatus() == null
        ? Optional.empty()
        : pod.getStatus().getConditions().stream()
            .filter(condition -> condition.getType().equals(type))
            .findFirst();
  }
}
