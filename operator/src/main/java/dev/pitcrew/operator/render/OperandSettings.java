package dev.pitcrew.operator.render;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.api.EnvVar;
import dev.pitcrew.api.ImageSpec;
import dev.pitcrew.api.OperandSpec;
import dev.pitcrew.api.Resources;
import dev.pitcrew.api.Toleration;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.util.List;
import java.util.Map;

/// What the section of an operand says about its DaemonSet: image, resources, arguments,
/// environment, network.
public final class OperandSettings {
  private OperandSettings() {}

  /// Lays a section over the main container and its pod; the environment is left to the operand,
  /// whose own entries may come before or after the user's.
  public static void apply(DaemonSetDraft draft, OperandSpec section, String imagePath) {
    image(draft, draft.main(), section, imagePath);
    resources(draft, section);
    draft.main().argsIfAny(section.args());
    draft.hostNetwork(Boolean.TRUE.equals(section.hostNetwork()));
  }

  /// Image, pull policy and pull secrets of one container.
  public static void image(
      DaemonSetDraft draft, ContainerDraft container, ImageSpec section, String imagePath) {
    container.image(imagePath).pullPolicy(section.imagePullPolicy());
    draft.pullSecrets(section.imagePullSecrets());
  }

  public static void resources(DaemonSetDraft draft, OperandSpec section) {
    resources(draft, section.resources());
  }

  /// Resources of every regular container; none given leaves the operand's own.
  public static void resources(DaemonSetDraft draft, Resources resources) {
    if (!ApiObjects.isEmpty(resources)) {
      draft.resources(ApiObjects.convert(resources, ResourceRequirements.class));
    }
  }

  /// Tolerations besides those of the policy.
  public static void tolerations(DaemonSetDraft draft, List<Toleration> tolerations) {
    draft.addTolerations(
        tolerations.stream()
            .map(given ->
                ApiObjects.convert(given, io.fabric8.kubernetes.api.model.Toleration.class))
            .toList());
  }

  /// The security context of the pod as the user wrote it; none leaves it to the cluster.
  public static void podSecurity(DaemonSetDraft draft, Map<String, JsonNode> wanted) {
    if (!wanted.isEmpty()) {
      draft.podSecurity(ApiObjects.convert(wanted, PodSecurityContext.class));
    }
  }

  /// An affinity as a custom resource has it.
  public static Affinity affinity(Map<String, JsonNode> given) {
    return ApiObjects.convert(given, Affinity.class);
  }

  /// Resources of a single container, an init container say.
  public static void resources(ContainerDraft container, OperandSpec section) {
    resources(container, section.resources());
  }

  public static void resources(ContainerDraft container, Resources resources) {
    if (!ApiObjects.isEmpty(resources)) {
      container.resources(ApiObjects.convert(resources, ResourceRequirements.class));
    }
  }

  /// The user's environment: last of equal names wins, as the API server refuses duplicates.
  public static void env(ContainerDraft container, List<EnvVar> entries) {
    entries.forEach(entry -> container.env(entry.name(), entry.valueOrDefault()));
  }
}
