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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which pods hold a GPU by a ResourceClaim ([dynamic resource
/// allocation](https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/)).
/// A claim is allocated before its pod has a node, so that each is read once. Access for
/// administrators holds nothing; a claim that cannot be read counts as a GPU.
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
    return names
        && known.computeIfAbsent(
            pod.getMetadata().getUid(),
            _ -> claimNames(pod, claims).anyMatch(claim -> isOfGpu(pod, claim)));
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
    try {
      GenericKubernetesResource read =
          client
              .genericKubernetesResources("resource.k8s.io/v1", "ResourceClaim")
              .inNamespace(pod.getMetadata().getNamespace())
              .withName(claim)
              .get();
      return read != null && isOfGpu(KubernetesJson.MAPPER.valueToTree(read));
    } catch (KubernetesClientException e) {
      log.warn(
          "ResourceClaim {}/{} cannot be read and counts as a GPU: {}",
          pod.getMetadata().getNamespace(),
          claim,
          e.getMessage());
      return true;
    }
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
