package dev.pitcrew.operator.driver;

import dev.pitcrew.core.rollout.DriverDigest;
import dev.pitcrew.kube.selector.LabelSelector;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Driver pods that run without an owner, as a ClusterPolicy leaves them behind when it hands its
/// drivers over. Labelled as the pods of a DaemonSet before that exists, they become its own, and
/// no driver is unloaded.
public final class Adoption {
  /// On a pod that was taken over and would install what its new DaemonSet would: the digest that
  /// counts in place of the one in its environment, which cannot be changed.
  public static final String DIGEST = DriverDigest.ANNOTATION;

  /// Of the driver's container: the digest of all that it installs a driver by.
  public static final String VARIABLE = DriverDigest.VARIABLE;

  private static final String COMPONENT = "app.kubernetes.io/component";
  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private Adoption() {}

  /// Whether the pod would be one of the DaemonSet's, were it labelled so.
  ///
  /// @param nodeLabels of the node that it runs on
  public static boolean isDue(Pod pod, DaemonSet daemonSet, Map<String, String> nodeLabels) {
    PodTemplateSpec template = daemonSet.getSpec().getTemplate();
    return isOrphan(pod)
        && Objects.equals(label(pod, COMPONENT), template.getMetadata().getLabels().get(COMPONENT))
        && LabelSelector.matches(template.getSpec().getNodeSelector(), nodeLabels);
  }

  /// Runs, and has no owner.
  public static boolean isOrphan(Pod pod) {
    return pod.getMetadata().getOwnerReferences().isEmpty()
        && pod.getMetadata().getDeletionTimestamp() == null
        && pod.getSpec().getNodeName() != null
        && (pod.getStatus() == null || !ENDED.contains(pod.getStatus().getPhase()));
  }

  /// The labels that make it one of the DaemonSet's, null for those to take away: its former
  /// DaemonSet numbered its templates, too, and the same number would pass for the newest template.
  public static Map<String, @Nullable String> labels(DaemonSet daemonSet) {
    Map<String, @Nullable String> labels =
        new HashMap<>(daemonSet.getSpec().getTemplate().getMetadata().getLabels());
    labels.put("pod-template-generation", null);
    labels.put("controller-revision-hash", null);
    return labels;
  }

  /// The digest to note on it, where it would install what the DaemonSet would.
  public static Optional<String> digest(Pod pod, DaemonSet daemonSet) {
    PodSpec wanted = daemonSet.getSpec().getTemplate().getSpec();
    return DriverInstallation.of(pod.getSpec())
        .filter(installed -> Optional.of(installed).equals(DriverInstallation.of(wanted)))
        .flatMap(_ -> digestOf(wanted));
  }

  /// The digest of what a pod has installed.
  public static Optional<String> effectiveDigest(Pod pod) {
    return Optional.ofNullable(pod.getMetadata().getAnnotations())
        .map(annotations -> annotations.get(DIGEST))
        .or(() -> digestOf(pod.getSpec()));
  }

  /// The digest of what the pods of a DaemonSet would install; none where it is of no driver.
  public static Optional<String> digestOf(DaemonSet daemonSet) {
    return digestOf(daemonSet.getSpec().getTemplate().getSpec());
  }

  /// The digest of what a pod of this shape would install.
  public static Optional<String> digestOf(PodSpec pod) {
    return DriverInstallation.driver(pod).stream()
        .map(Container::getEnv)
        .flatMap(variables -> variables.stream())
        .filter(variable -> variable.getName().equals(VARIABLE))
        .map(EnvVar::getValue)
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static String label(Pod pod, String key) {
    return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of())
        .getOrDefault(key, "");
  }
}
