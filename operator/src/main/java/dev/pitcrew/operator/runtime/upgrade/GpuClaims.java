package dev.pitcrew.operator.runtime.upgrade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodExtendedResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Which pods hold a GPU by a ResourceClaim ([dynamic resource
/// allocation](https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/)).
/// A claim is allocated before its pod has a node, so that each is read once. Pods that ask for an
/// extended resource of a DeviceClass have a claim of the scheduler's (KEP-5004). Access for
/// administrators holds nothing; a claim counts as a GPU as long as it cannot be read.
final class GpuClaims {
  private static final Logger log = LoggerFactory.getLogger(GpuClaims.class);
  private static final String DRIVER = "gpu.nvidia.com";

  /// Newest first; what is read of a claim is the same in all.
  private static final List<ResourceDefinitionContext> KINDS =
      Stream.of("v1", "v1beta2", "v1beta1").map(GpuClaims::kind).toList();

  private final KubernetesClient client;
  private final Map<String, Boolean> known = new ConcurrentHashMap<>();

  GpuClaims(KubernetesClient client) {
    this.client = client;
  }

  boolean holdsGpu(Pod pod) {
    Set<String> claims = names(pod);
    if (claims.isEmpty()) {
      return false;
    }
    String uid = pod.getMetadata().getUid();
    @Nullable Boolean before = known.get(uid);
    if (before != null) {
      return before;
    }
    try {
      boolean holds = claims.stream().anyMatch(claim -> isOfGpu(pod, claim));
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

  /// Claims that were made for the pod are named in its status, others in the pod itself.
  private static Set<String> names(Pod pod) {
    Optional<PodStatus> status = Optional.ofNullable(pod.getStatus());
    Stream<String> made =
        status.stream()
            .flatMap(it -> orEmpty(it.getResourceClaimStatuses()))
            .map(PodResourceClaimStatus::getResourceClaimName);
    Stream<String> extended =
        status.map(PodStatus::getExtendedResourceClaimStatus).stream()
            .map(PodExtendedResourceClaimStatus::getResourceClaimName);
    Stream<String> own =
        orEmpty(pod.getSpec().getResourceClaims()).map(PodResourceClaim::getResourceClaimName);
    return Stream.of(made, extended, own)
        .flatMap(Function.identity())
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  private static <T> Stream<T> orEmpty(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.<T>of()).stream();
  }

  private boolean isOfGpu(Pod pod, String claim) {
    return KINDS.stream()
        .map(kind ->
            client
                .genericKubernetesResources(kind)
                .inNamespace(pod.getMetadata().getNamespace())
                .withName(claim)
                .get())
        .filter(Objects::nonNull)
        .findFirst()
        .filter(read -> isOfGpu(KubernetesJson.MAPPER.valueToTree(read)))
        .isPresent();
  }

  private static ResourceDefinitionContext kind(String version) {
    return new ResourceDefinitionContext.Builder()
        .withGroup("resource.k8s.io")
        .withVersion(version)
        .withKind("ResourceClaim")
        .withPlural("resourceclaims")
        .withNamespaced(true)
        .build();
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
