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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Which pods hold a GPU by a ResourceClaim. A claim is allocated before its pod has a node, so
/// that each is read once. Access for administrators holds nothing; a claim counts as a GPU as long
/// as it cannot be read.
final class GpuClaims {
  private static final Duration DEADLINE = Duration.ofSeconds(10);
  private static final String DRIVER = "gpu.nvidia.com";
  private static final int NOT_FOUND = 404;

  private final ApiServer server;
  private final Map<String, Boolean> known = new HashMap<>();

  GpuClaims(ApiServer server) {
    this.server = server;
  }

  boolean holdsGpu(JsonNode pod) {
    return !pod.at("/spec/resourceClaims").isEmpty() && anyIsOfGpu(pod);
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

  /// Claims that were made from a template are named in the status, others in the pod itself.
  private static Stream<String> names(JsonNode pod) {
    return Stream.concat(
            pod.at("/status/resourceClaimStatuses").valueStream(),
            pod.at("/spec/resourceClaims").valueStream())
        .map(it -> it.path("resourceClaimName").asText(""))
        .filter(name -> !name.isEmpty());
  }

  /// Empty where it cannot be read.
  private Optional<Boolean> isOfGpu(String namespace, String name) {
    var path = ObjectPath.of("resource.k8s.io/v1", "resourceclaims", namespace, name);
    return switch (server.get(path, DEADLINE)) {
      case Reply.Done(var claim) -> Optional.of(isOfGpu(claim));
      case Reply.Refused refused when refused.status() == NOT_FOUND -> Optional.of(false);
      case Reply.Refused _, Reply.Unanswered _ -> Optional.empty();
    };
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
