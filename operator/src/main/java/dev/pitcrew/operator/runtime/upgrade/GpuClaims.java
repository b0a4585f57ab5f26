package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which pods hold a GPU by a ResourceClaim ([dynamic resource
/// allocation](https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/)).
/// A claim is allocated before its pod has a node, so that each is read once. Access for
/// administrators holds nothing; a claim counts as a GPU as long as it cannot be read.
final class GpuClaims {
  private static final Logger log = LoggerFactory.getLogger(GpuClaims.class);
  private static final String DRIVER = "gpu.nvidia.com";

  private final KubernetesClient client;
  private final Map<String, Boolean> known = new ConcurrentHashMap<>();

  GpuClaims(KubernetesClient client) {
    this.client = client;
  }

  boolean holdsGpu(Pod pod) {
    List<PodResourceClaimStatus> claims =
        pod.getStatus() == null
            ? List.of()
            : Objects.requireNonNullElse(pod.getStatus().getResourceClaimStatuses(), List.of());
    boolean names =
        !Objects.requireNonNullElse(pod.getSpec().getResourceClaims(), List.of()).isEmpty();
    return names && holdsGpu(pod, claims);
  }

  private boolean holdsGpu(Pod pod, List<PodResourceClaimStatus> claims) {
    String uid = pod.getMetadata().getUid();
    @Nullable Boolean before = known.get(uid);
    if (before != null) {
      return before;
    }
    try {
      boolean holds = claimNames(pod, claims).anyMatch(claim -> isOfGpu(pod, claim));
      known.put(uid, holds);
      return holds;
    } catch (KubernetesClientException e) {
      log.warn(
          "a ResourceClaim of pod {}/{} cannot be read and counts as a GPU until it can: {}",
          pod.getMetadata().getNamespace(),
          pod.getMetadata().getName(),
          e.getMessage());
      return true;
    }
  }

  /// Forgets all pods but these.
  void keep(Set<String> uids) {
    known.keySet().retainAll(uids);
  }

  /// Claims that were made from a template are named in the status, others in the pod itself.
  private static Stream<String> claimNames(Pod pod, List<PodResourceClaimStatus> made) {
    return Stream.concat(
            made.stream().map(PodResourceClaimStatus::getResourceClaimName),
            pod.getSpec().getResourceClaims().stream().map(it -> it.getResourceClaimName()))
        .filter(Objects::nonNull);
  }

  private boolean isOfGpu(Pod pod, String claim) {
    GenericKubernetesResource read =
        client
            .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(claim)
            .get();
    return read != null && isOfGpu(KubernetesJson.MAPPER.valueToTree(read));
  }

  private static boolean isOfGpu(JsonNode claim) {
    for (JsonNode result : claim.at("/status/allocation/devices/results")) {
      if (DRIVER.equals(result.path("driver").asText())
          && !result.path("adminAccess").asBoolean()) {
        return true;
      }
    }
    return false;
  }
}
