package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.Dependents;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.policy.HandOver;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lets a GPUCluster go, also one that the NVIDIA GPU Operator has reconciled before a take-over.
///
/// 1. The DaemonSets of the GPUCluster whose pods have ResourceClaims are deleted in the
///    foreground, as that operator does.
/// 2. When none is left the finalizer is removed. The driver for dynamic resource allocation, which
///    has to unprepare the claims, is collected after that.
final class GpuClusterDeletion {
  static final String FINALIZER = "gpucluster.nvidia.com/dra-resourceclaim";
  private static final Logger log = LoggerFactory.getLogger(GpuClusterDeletion.class);

  private final Caches caches;
  private final Applier applier;
  private final Events events;

  GpuClusterDeletion(Caches caches, Applier applier, Events events) {
    this.caches = caches;
    this.applier = applier;
    this.events = events;
  }

  Outcome proceed(GenericKubernetesResource gpuCluster) {
    if (!gpuCluster.getMetadata().getFinalizers().contains(FINALIZER)) {
      return Outcome.done();
    }
    List<DaemonSet> consumers =
        caches.daemonSets().stream()
            .filter(it -> Owners.owns(gpuCluster, it))
            .filter(GpuClusterDeletion::hasClaims)
            .toList();
    try {
      consumers.stream()
          .filter(it -> !HandOver.isDeleted(it))
          .forEach(it -> applier.delete(it, Dependents.FIRST));
      if (consumers.isEmpty()) {
        removeFinalizer(gpuCluster);
      } else {
        events.emit(gpuCluster, Events.Type.NORMAL, "DrainingClaimConsumers", waiting(consumers));
      }
      return Outcome.done();
    } catch (KubeException e) {
      log.warn("GPUCluster {} stays: {}", gpuCluster.getMetadata().getName(), e.getMessage());
      return Outcome.failed(e);
    }
  }

  private static String waiting(List<DaemonSet> consumers) {
    return consumers.stream()
        .map(it -> it.getMetadata().getName())
        .sorted()
        .collect(
            Collectors.joining(
                ", ", "Waiting for ResourceClaim-consuming DaemonSet(s) to terminate: ", ""));
  }

  private void removeFinalizer(GenericKubernetesResource gpuCluster) {
    String path =
        "/metadata/finalizers/" + gpuCluster.getMetadata().getFinalizers().indexOf(FINALIZER);
    ArrayNode patch = JsonNodeFactory.instance.arrayNode();
    // The list may have changed since it was read.
    patch.addObject().put("op", "test").put("path", path).put("value", FINALIZER);
    patch.addObject().put("op", "remove").put("path", path);
    if (applier.patch(gpuCluster, patch) instanceof ApplyResult.Refused(String why)) {
      log.warn(
          "the API server refused to remove a finalizer of GPUCluster {}: {}",
          gpuCluster.getMetadata().getName(),
          why);
    }
  }

  private static boolean hasClaims(DaemonSet daemonSet) {
    return !Objects.requireNonNullElse(
            daemonSet.getSpec().getTemplate().getSpec().getResourceClaims(), List.of())
        .isEmpty();
  }
}
