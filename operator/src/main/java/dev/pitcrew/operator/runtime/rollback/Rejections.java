package dev.pitcrew.operator.runtime.rollback;

import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.upgrade.Rollback;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notes on a DaemonSet that the driver it asks for was rejected. The note is read when the
/// DaemonSet is applied, so that the next operator continues if this one is killed in between.
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

  /// Rolls DaemonSets back to their former drivers, in their order, unless that is noted already.
  ///
  /// @param rollbacks by the name of the DaemonSet
  /// @param daemonSets some that there are
  /// @return false if a note could not be written; those after it are not tried either
  public boolean reject(
      SequencedMap<String, Rollback> rollbacks, Collection<DaemonSet> daemonSets) {
    return rollbacks.entrySet().stream()
        .allMatch(it ->
            daemonSets.stream()
                .filter(daemonSet -> daemonSet.getMetadata().getName().equals(it.getKey()))
                .allMatch(daemonSet -> reject(daemonSet, it.getValue())));
  }

  private boolean reject(DaemonSet daemonSet, Rollback rollback) {
    try {
      return !rollback.follows(noted(daemonSet)) || note(daemonSet, possible(daemonSet, rollback));
    } catch (KubeException | KubernetesClientException e) {
      log.warn("{} is not rolled back: {}", daemonSet.getMetadata().getName(), e.getMessage());
      return false;
    }
  }

  /// What is noted on a DaemonSet.
  public static Optional<Rollback> noted(DaemonSet daemonSet) {
    return Rollback.of(
        Objects.requireNonNullElse(daemonSet.getMetadata().getAnnotations(), Map.of()));
  }

  /// What nodes still have may be of another DaemonSet before this one, and then this one cannot
  /// make it; or no node has another driver any more, and the DaemonSet had.
  private Rollback possible(DaemonSet daemonSet, Rollback rollback) {
    return templates.withDigest(daemonSet, rollback.kept()).isPresent()
        ? rollback
        : rollback.keeping(templates.digestBefore(daemonSet, rollback.rejected()).orElse(""));
  }

  private boolean note(DaemonSet daemonSet, Rollback rollback) {
    Map<String, @Nullable String> annotation = Map.of(Rollback.ANNOTATION, rollback.text());
    ApplyResult result = applier.patchMetadata(daemonSet, Map.of(), annotation);
    if (result instanceof ApplyResult.Refused(String message)) {
      log.warn("{} is not rolled back: {}", daemonSet.getMetadata().getName(), message);
      return false;
    }
    if (result instanceof ApplyResult.Applied) {
      String note =
          rollback.kept().isEmpty()
              ? "no driver that DaemonSet %s had before is known, so it keeps the one that failed, and no further node gets that; ask for another driver: %s"
              : "DaemonSet %s is rolled back to its former driver: %s";
      String message = note.formatted(daemonSet.getMetadata().getName(), rollback.why());
      log.warn(message);
      events.emit(daemonSet, Events.Type.WARNING, "GPUDriverRollback", message);
    }
    return true;
  }
}
