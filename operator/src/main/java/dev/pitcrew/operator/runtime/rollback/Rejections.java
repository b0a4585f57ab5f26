package dev.pitcrew.operator.runtime.rollback;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notes on a DaemonSet that the driver it asks for was rejected. Whoever applies the DaemonSet
/// reads that, so that an operator that is killed in between is followed by one that goes on.
public final class Rejections {
  private static final Logger log = LoggerFactory.getLogger(Rejections.class);

  private final FormerTemplates templates;
  private final Applier applier;
  private final Events events;

  public Rejections(KubernetesClient client, Applier applier, Events events) {
    this.templates = new FormerTemplates(client);
    this.applier = applier;
    this.events = events;
  }

  /// Has the DaemonSet go back to its former driver, unless it was told so before.
  public void reject(DaemonSet daemonSet, Rollback rollback) {
    if (!rollback.follows(Rollback.of(annotations(daemonSet)))) {
      return;
    }
    try {
      note(daemonSet, possible(daemonSet, rollback));
    } catch (KubeException | KubernetesClientException e) {
      log.warn("{} does not go back: {}", daemonSet.getMetadata().getName(), e.getMessage());
    }
  }

  static Map<String, String> annotations(DaemonSet daemonSet) {
    return Objects.requireNonNullElse(daemonSet.getMetadata().getAnnotations(), Map.of());
  }

  /// What nodes still have may be of another DaemonSet before this one, and then this one cannot
  /// make it; or no node has another driver any more, and the DaemonSet had.
  private Rollback possible(DaemonSet daemonSet, Rollback rollback) {
    return templates.withDigest(daemonSet, rollback.kept()).isPresent()
        ? rollback
        : rollback.keeping(templates.digestBefore(daemonSet, rollback.rejected()).orElse(""));
  }

  private void note(DaemonSet daemonSet, Rollback rollback) {
    Map<String, @Nullable String> annotation = Map.of(Rollback.ANNOTATION, rollback.text());
    if (applier.patchMetadata(daemonSet, Map.of(), annotation) instanceof ApplyResult.Applied) {
      String note =
          rollback.kept().isEmpty()
              ? "no driver that DaemonSet %s had before is known, so it keeps the one that failed: %s"
              : "DaemonSet %s goes back to its former driver: %s";
      String told = note.formatted(daemonSet.getMetadata().getName(), rollback.why());
      log.warn(told);
      events.emit(daemonSet, Events.Type.WARNING, "GPUDriverRollback", told);
    }
  }
}
