package dev.pitcrew.agent.driver;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.cluster.ApiServer;
import dev.pitcrew.agent.cluster.ObjectPath;
import dev.pitcrew.agent.cluster.Reply;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which pods hold a GPU by a ResourceClaim. A claim is allocated before its pod has a node, so
/// that each is read once. Pods that ask for an extended resource of a DeviceClass have a claim of
/// the scheduler's (KEP-5004). Access for administrators holds nothing; a claim counts as a GPU as
/// long as it cannot be read.
final class GpuClaims {
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final String DRIVER = "gpu.nvidia.com";
  private static final int NOT_FOUND = 404;

  /// Newest first; what is read of a claim is the same in all.
  private static final List<String> VERSIONS = List.of("v1", "v1beta2", "v1beta1");

  private final ApiServer server;
  private final Map<String, Boolean> known = new HashMap<>();

  GpuClaims(ApiServer server) {
    this.server = server;
  }

  boolean holdsGpu(JsonNode pod) {
    return names(pod).findAny().isPresent() && anyIsOfGpu(pod);
  }

  private boolean anyIsOfGpu(JsonNode pod) {
    String uid = pod.at("/metadata/uid").asText();
    @Nullable Boolean before = known.get(uid);
    if (before != null) {
      return before;
    }
    String namespace = pod.at("/metadata/namespace").asText();
    List<Optional<Boolean>> claims = names(pod).map(it -> isOfGpu(namespace, it)).toList();
    boolean holds = claims.stream().anyMatch(claim -> claim.orElse(true));
    if (claims.stream().allMatch(Optional::isPresent)) {
      known.put(uid, holds);
    }
    return holds;
  }

  /// Claims that were made for the pod are named in its status, others in the pod itself.
  private static Stream<String> names(JsonNode pod) {
    return Stream.of(
            pod.at("/status/resourceClaimStatuses").valueStream(),
            Stream.of(pod.at("/status/extendedResourceClaimStatus")),
            pod.at("/spec/resourceClaims").valueStream())
        .flatMap(Function.identity())
        .map(it -> it.path("resourceClaimName").asText(""))
        .filter(name -> !name.isEmpty());
  }

  /// Empty where it cannot be read.
  private Optional<Boolean> isOfGpu(String namespace, String name) {
    for (String version : VERSIONS) {
      var path = ObjectPath.of("resource.k8s.io/" + version, "resourceclaims", namespace, name);
      switch (server.get(path, DEADLINE)) {
        case Reply.Done(var claim) -> {
          return Optional.of(isOfGpu(claim));
        }
        case Reply.Refused refused when refused.status() == NOT_FOUND -> {} // here, or at all
        case Reply.Refused _, Reply.Unanswered _ -> {
          return Optional.empty();
        }
      }
    }
    return Optional.of(false);
  }

  private static boolean isOfGpu(JsonNode claim) {
    return claim
        .at("/status/allocation/devices/results")
        .valueStream()
        .anyMatch(result ->
            result.path("driver").asText().equals(DRIVER)
                && !result.path("adminAccess").asBoolean());
  }
}
