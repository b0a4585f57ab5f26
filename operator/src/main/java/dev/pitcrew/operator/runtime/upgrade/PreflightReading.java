package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.operator.upgrade.PreflightPod;
import dev.pitcrew.operator.upgrade.PreflightPod.Pull;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Reads from the status of a pod whether its images were pulled. The kubelet pulls an image before
/// it makes anything of a container: whatever is said of a container after that, its image is
/// there.
final class PreflightReading {
  /// [The kubelet's
  /// words](https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/types.go).
  private static final Set<String> REFUSED =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "InvalidImageName",
          "ErrImageNeverPull",
          "ImageInspectError",
          "RegistryUnavailable",
          "SignatureValidationFailed");

  private static final Set<String> BEFORE = Set.of("", "ContainerCreating", "PodInitializing");

  /// While the kubelet waits to try again it says the same with this before it (since 1.31). The
  /// text has to stay as it is as long as its cause does, since all nodes of the pool repeat it.
  private static final Pattern BACK_OFF =
      Pattern.compile("^Back-off pulling image \"[^\"]*\": (ErrImagePull: )?");

  /// Of a connection the port on this side, which is another each time.
  private static final Pattern PORT = Pattern.compile(":\\d+(?=->)");

  private static final int LONGEST_TEXT = 400;

  private PreflightReading() {}

  static PreflightPod read(Pod pod) {
    return new PreflightPod(
        DriverPodReading.name(pod),
        Objects.requireNonNullElse(pod.getSpec().getNodeName(), ""),
        Instant.parse(pod.getMetadata().getCreationTimestamp()),
        pod.getMetadata().getDeletionTimestamp() != null,
        pull(pod));
  }

  private static Pull pull(Pod pod) {
    List<ContainerStatus> containers =
        pod.getStatus() == null ? List.of() : pod.getStatus().getContainerStatuses();
    Optional<Pull> refused =
        containers.stream().flatMap(container -> refusal(container).stream()).findFirst();
    if (refused.isPresent()) {
      return refused.get();
    }
    if (containers.size() == pod.getSpec().getContainers().size()
        && containers.stream().allMatch(PreflightReading::isPulled)) {
      return new Pull.Done();
    }
    String phase = pod.getStatus() == null ? "" : orEmpty(pod.getStatus().getPhase());
    return phase.equals("Failed") || phase.equals("Succeeded")
        ? new Pull.Lost(said(pod.getStatus().getReason(), pod.getStatus().getMessage()))
        : new Pull.UnderWay(
            containers.isEmpty()
                ? "the kubelet has not begun yet"
                : "the kubelet has not said so yet");
  }

  private static Optional<Pull> refusal(ContainerStatus container) {
    return waiting(container)
        .filter(it -> REFUSED.contains(orEmpty(it.getReason())))
        .map(it -> new Pull.Refused(container.getName(), lasting(it)));
  }

  private static String lasting(ContainerStateWaiting waiting) {
    String message = BACK_OFF.matcher(orEmpty(waiting.getMessage())).replaceFirst("");
    return said(message.isEmpty() ? waiting.getReason() : "", PORT.matcher(message).replaceAll(""));
  }

  private static boolean isPulled(ContainerStatus container) {
    @Nullable ContainerState state = container.getState();
    if (!orEmpty(container.getImageID()).isEmpty()
        || (state != null && state.getRunning() != null)) {
      return true;
    }
    return state != null
        && (state.getTerminated() != null
            ? !"ContainerStatusUnknown".equals(state.getTerminated().getReason())
            : waiting(container)
                .filter(it -> !BEFORE.contains(orEmpty(it.getReason())))
                .isPresent());
  }

  private static Optional<ContainerStateWaiting> waiting(ContainerStatus container) {
    return Optional.ofNullable(container.getState()).map(ContainerState::getWaiting);
  }

  private static String said(@Nullable String reason, @Nullable String message) {
    String text =
        orEmpty(message).isEmpty()
            ? orEmpty(reason)
            : orEmpty(reason).isEmpty() ? orEmpty(message) : reason + ": " + message;
    return cut(text.isEmpty() ? "no reason given" : text);
  }

  /// The part of a text that is reported for each node of a pool.
  static String cut(String text) {
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  private static String orEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
