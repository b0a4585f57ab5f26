package dev.pitcrew.operator.runtime.upgrade;

import dev.pitcrew.api.Condition;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.operator.policy.PodCause;
import dev.pitcrew.operator.upgrade.Validation;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Whether a node works with the driver that it has now: by what its agent says, or by the
/// reference's validator pod where that is run.
final class Validations {
  /// In the tag: neither the port of a registry nor the digest of an image.
  private static final Pattern VERSION = Pattern.compile("^[^@]*:(\\d+(\\.\\d+)*)[^/@]*(@.*)?$");

  private Validations() {}

  /// By the agent's report. What it says counts only of the driver that the driver pod installs:
  /// the report of the former one may not have been replaced yet.
  static Validation byAgent(Optional<GpuNodeStatus> report, Optional<Pod> driverPod) {
    if (report.isEmpty()) {
      return new Validation.Pending(
          "the agent of the node has said nothing yet: look at its pod (kubectl get pods -l app=pitcrew-agent -o wide)");
    }
    Optional<String> wanted = driverPod.flatMap(Validations::version);
    Optional<String> present = Optional.ofNullable(report.get().driver().version());
    if (wanted.filter(it -> present.filter(seen -> isOf(it, seen)).isEmpty()).isPresent()) {
      return new Validation.Pending(
          present
              .map(seen ->
                  "the agent sees driver %s, and %s is installed".formatted(seen, wanted.get()))
              .orElseGet(() -> unseen(report.get(), wanted.get())));
    }
    return Stream.of(
            NodeCondition.DRIVER_READY, NodeCondition.DEVICES_ADVERTISED, NodeCondition.VALIDATED)
        .flatMap(type -> lack(report.get(), type).stream())
        .findFirst()
        .<Validation>map(Validation.Pending::new)
        .orElseGet(Validation.Passed::new);
  }

  /// By NVIDIA's validator pods on the node.
  static Validation byPods(List<Pod> validators) {
    if (validators.isEmpty()) {
      return new Validation.Pending("there is no nvidia-operator-validator pod on the node yet");
    }
    return validators.stream()
        .filter(pod -> !PodCause.isReady(pod))
        .findFirst()
        .<Validation>map(pod ->
            new Validation.Pending(
                PodCause.of(pod)
                    .map(PodCause::sentence)
                    .orElse("pod %s is not ready".formatted(pod.getMetadata().getName()))))
        .orElseGet(Validation.Passed::new);
  }

  /// What is wrong with the GPUs of a node since it has its driver pod; empty while nothing is.
  /// What was wrong before is not the driver's doing.
  static Optional<String> unhealthyReason(Optional<GpuNodeStatus> report, Optional<Pod> driverPod) {
    Optional<Instant> since =
        driverPod.flatMap(pod -> instant(pod.getMetadata().getCreationTimestamp()));
    return report
        .flatMap(it -> it.condition(NodeCondition.HEALTHY))
        .filter(healthy -> healthy.status().equals("False"))
        .filter(healthy ->
            instant(healthy.lastTransitionTime())
                .flatMap(at -> since.map(born -> !at.isBefore(born)))
                .orElse(false))
        .map(healthy -> Objects.requireNonNullElse(healthy.message(), "a GPU is not healthy"));
  }

  private static String unseen(GpuNodeStatus report, String wanted) {
    return "the agent sees no driver, and %s is installed%s"
        .formatted(wanted, lack(report, NodeCondition.DRIVER_READY).map("; "::concat).orElse(""));
  }

  private static Optional<String> lack(GpuNodeStatus report, NodeCondition type) {
    Optional<Condition> condition = report.condition(type);
    if (condition.filter(it -> it.status().equals("True")).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(
        "%s: %s"
            .formatted(
                type.type(),
                condition
                    .map(Condition::message)
                    .filter(message -> !message.isEmpty())
                    .orElse("the agent has not said so yet")));
  }

  /// The version that a driver image is tagged with; empty for an image by digest. Tags of
  /// precompiled drivers name the branch alone.
  private static Optional<String> version(Pod driverPod) {
    return driverPod.getSpec().getContainers().stream()
        .findFirst()
        .map(container -> VERSION.matcher(Objects.requireNonNullElse(container.getImage(), "")))
        .filter(Matcher::find)
        .map(matcher -> matcher.group(1));
  }

  private static boolean isOf(String wanted, String present) {
    return present.equals(wanted) || present.startsWith(wanted + ".");
  }

  /// A time of the API; empty for one that is absent, or that cannot be read.
  static Optional<Instant> instant(@Nullable String text) {
    try {
      return Optional.ofNullable(text).map(Instant::parse);
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }
}
