package dev.pitcrew.operator.runtime.rollback;

import dev.pitcrew.operator.driver.Adoption;
import dev.pitcrew.operator.render.Problem;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// Puts the former driver of a DaemonSet in the place of one that was rejected.
public final class RolledBack {
  /// What is to be applied in the place of what is wanted, and why that is so.
  public record Substitute(HasMetadata object, Problem problem) {}

  private record Key(String daemonSet, String digest) {}

  private final FormerTemplates templates;
  private final Map<Key, PodTemplateSpec> found = new ConcurrentHashMap<>();

  public RolledBack(KubernetesClient client) {
    this.templates = new FormerTemplates(client);
  }

  /// Empty where what is wanted was not rejected.
  ///
  /// @param live the object as it is now
  public Optional<Substitute> of(HasMetadata desired, Optional<? extends HasMetadata> live) {
    return desired instanceof DaemonSet wanted && live.orElse(null) instanceof DaemonSet present
        ? Rejections.noted(present)
            .filter(rollback -> isRejected(wanted, rollback))
            .flatMap(
                rollback -> former(present, rollback).map(it -> substitute(wanted, it, rollback)))
        : Optional.empty();
  }

  /// Whether the note on the object is obsolete: the wanted driver is neither the rejected one nor
  /// the former one. A user who asks for the rejected driver again later gets it.
  public static boolean isOver(HasMetadata desired, HasMetadata live) {
    return desired instanceof DaemonSet wanted
        && live instanceof DaemonSet present
        && Rejections.noted(present)
            .filter(rollback -> !isRejected(wanted, rollback) && !isKept(wanted, rollback))
            .isPresent();
  }

  private static boolean isKept(DaemonSet wanted, Rollback rollback) {
    return has(wanted, rollback.kept());
  }

  private static boolean isRejected(DaemonSet wanted, Rollback rollback) {
    return has(wanted, rollback.rejected());
  }

  private static boolean has(DaemonSet wanted, String digest) {
    return Adoption.digestOf(wanted).filter(digest::equals).isPresent();
  }

  private Optional<PodTemplateSpec> former(DaemonSet live, Rollback rollback) {
    return rollback.kept().isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(
            found.computeIfAbsent(
                new Key(live.getMetadata().getUid(), rollback.kept()),
                key -> templates.withDigest(live, key.digest()).orElse(null)));
  }

  private static Substitute substitute(
      DaemonSet wanted, PodTemplateSpec template, Rollback rollback) {
    String message =
        "DaemonSet %s has its former driver %s, since %s failed: %s. Ask for another driver, or remove the annotation %s from the DaemonSet to try this one again"
            .formatted(
                wanted.getMetadata().getName(),
                image(template),
                image(wanted.getSpec().getTemplate()),
                rollback.why(),
                Rollback.ANNOTATION);
    return new Substitute(
        new DaemonSetBuilder(wanted)
            .editSpec()
            .withTemplate(placed(template, wanted.getSpec().getTemplate().getSpec()))
            .endSpec()
            .build(),
        new Problem("DriverRolledBack", message));
  }

  /// Which nodes the pods are for, and what they need to get there, is no part of a driver: if that
  /// were rolled back as well, nodes of a system that has joined since would have two drivers. The
  /// former images may need their own pull secrets.
  private static PodTemplateSpec placed(PodTemplateSpec former, PodSpec wanted) {
    return new PodTemplateSpecBuilder(former)
        .editSpec()
        .withNodeSelector(wanted.getNodeSelector())
        .withAffinity(wanted.getAffinity())
        .withTolerations(wanted.getTolerations())
        .withPriorityClassName(wanted.getPriorityClassName())
        .withImagePullSecrets(
            Stream.concat(
                    former.getSpec().getImagePullSecrets().stream(),
                    wanted.getImagePullSecrets().stream())
                .distinct()
                .toList())
        .endSpec()
        .build();
  }

  private static String image(PodTemplateSpec template) {
    return template.getSpec().getContainers().stream()
        .map(Container::getImage)
        .findFirst()
        .orElse("");
  }
}
