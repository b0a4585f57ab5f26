package dev.pitcrew.operator.runtime.rollback;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.operator.driver.Adoption;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/// The pod templates that a driver DaemonSet had: its controller keeps the last ten of them, as
/// ControllerRevisions.
final class FormerTemplates {
  private final KubernetesClient client;

  FormerTemplates(KubernetesClient client) {
    this.client = client;
  }

  /// The digest of the newest driver that was another than this one.
  Optional<String> digestBefore(DaemonSet daemonSet, String rejected) {
    return newestFirst(daemonSet)
        .flatMap(template -> Adoption.digestOf(template.getSpec()).stream())
        .filter(digest -> !digest.equals(rejected))
        .findFirst();
  }

  /// The newest template with the driver of this digest.
  Optional<PodTemplateSpec> withDigest(DaemonSet daemonSet, String digest) {
    return newestFirst(daemonSet)
        .filter(it -> Adoption.digestOf(it.getSpec()).equals(Optional.of(digest)))
        .findFirst();
  }

  private Stream<PodTemplateSpec> newestFirst(DaemonSet daemonSet) {
    return client
        .apps()
        .controllerRevisions()
        .inNamespace(daemonSet.getMetadata().getNamespace())
        .withLabels(daemonSet.getSpec().getSelector().getMatchLabels())
        .list()
        .getItems()
        .stream()
        .filter(revision -> isOf(daemonSet, revision))
        .sorted(Comparator.comparing(ControllerRevision::getRevision).reversed())
        .map(this::template);
  }

  private static boolean isOf(DaemonSet daemonSet, ControllerRevision revision) {
    return revision.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> owner.getUid().equals(daemonSet.getMetadata().getUid()));
  }

  /// A revision is a strategic merge patch that replaces the template.
  private PodTemplateSpec template(ControllerRevision revision) {
    var json = client.getKubernetesSerialization();
    JsonNode template = json.convertValue(revision.getData(), JsonNode.class).at("/spec/template");
    if (template instanceof ObjectNode fields) {
      fields.remove("$patch");
    }
    return Objects.requireNonNull(json.convertValue(template, PodTemplateSpec.class));
  }
}
