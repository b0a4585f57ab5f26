package dev.pitcrew.cli.plan;

import dev.pitcrew.cli.cluster.ClaimState;
import dev.pitcrew.cli.cluster.Pod;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Pods that wait for the same cause.
///
/// @param pods the oldest first
public record PendingGroup(String cause, List<PendingPod> pods) {

  /// @param command that explains it
  public record PendingPod(String id, Chain chain, String command) {}

  /// Groups of pods, the largest first. Each pod is asked about at each node, so that of very many
  /// only the oldest are.
  ///
  /// @param shown groups of those that were looked at
  /// @param more pods that were not
  public record Pending(List<PendingGroup> shown, int more) {}

  private static final int MOST = 50;

  /// Pods that ask for GPUs and do not run yet, the oldest first.
  public static List<Pod> waiting(Collection<Pod> pods) {
    return pods.stream()
        .filter(it -> it.phase().equals("Pending"))
        .sorted(Comparator.comparing(Pod::created).thenComparing(Pod::id))
        .toList();
  }

  /// @param pods as [#waiting] returns them
  /// @param cluster without claims
  /// @param claims of a namespace; empty where the user may not list them
  public static Pending of(
      List<Pod> pods,
      PodChain.Cluster cluster,
      Function<String, Optional<List<ClaimState>>> claims,
      Instant now) {
    Map<String, List<PendingPod>> byCause =
        pods.stream()
            .limit(MOST)
            .map(pod ->
                new PendingPod(
                    pod.id(),
                    PodChain.of(
                        pod,
                        pod.claims().isEmpty()
                            ? cluster
                            : cluster.withClaims(claims.apply(pod.namespace())),
                        now),
                    "kubectl gpu explain pod %s -n %s".formatted(pod.name(), pod.namespace())))
            .collect(
                Collectors.groupingBy(
                    it -> it.chain().cause(), LinkedHashMap::new, Collectors.toList()));
    List<PendingGroup> groups =
        byCause.entrySet().stream()
            .map(it -> new PendingGroup(it.getKey(), it.getValue()))
            .sorted(Comparator.comparingInt((PendingGroup it) -> -it.pods().size()))
            .toList();
    return new Pending(groups, Math.max(0, pods.size() - MOST));
  }
}
