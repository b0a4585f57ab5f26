package dev.pitcrew.operator.eviction;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// Which pods are not evicted, in the order in which it is asked. As `kubectl drain` has it, pods
/// of DaemonSets would be back at once, and those of the kubelet's own files cannot be evicted.
public final class EvictionRules {
  private static final String MIRROR = "kubernetes.io/config.mirror";
  private static final Set<String> OVER = Set.of("Succeeded", "Failed");

  private EvictionRules() {}

  /// What is known before the API server is asked to evict; empty where it is to be asked.
  ///
  /// @param live the pod of this name as it is now
  public static Optional<EvictionOutcome> beforehand(PodToEvict pod, Optional<Pod> live) {
    if (live.filter(it -> it.getMetadata().getUid().equals(pod.uid())).isEmpty()) {
      return Optional.of(new EvictionOutcome.Gone());
    }
    return isOver(live.get())
        .or(() -> isElsewhere(pod, live.get()))
        .or(() -> isOfDaemonSet(pod, live.get()))
        .or(() -> isMirror(pod, live.get()));
  }

  private static Optional<EvictionOutcome> isOver(Pod live) {
    if (live.getMetadata().getDeletionTimestamp() != null) {
      return Optional.of(new EvictionOutcome.Evicted());
    }
    boolean isOver = live.getStatus() != null && OVER.contains(phase(live));
    return isOver ? Optional.of(new EvictionOutcome.Gone()) : Optional.empty();
  }

  private static String phase(Pod live) {
    return Objects.requireNonNullElse(live.getStatus().getPhase(), "");
  }

  /// A request for one node cannot evict what runs on another.
  private static Optional<EvictionOutcome> isElsewhere(PodToEvict pod, Pod live) {
    return pod.node().equals(live.getSpec().getNodeName())
        ? Optional.empty()
        : spared(pod, "is not on node %s: it is not evicted".formatted(pod.node()));
  }

  private static Optional<EvictionOutcome> isOfDaemonSet(PodToEvict pod, Pod live) {
    return Objects.requireNonNullElse(
            live.getMetadata().getOwnerReferences(), List.<OwnerReference>of())
        .stream()
        .filter(owner -> owner.getKind().equals("DaemonSet"))
        .findFirst()
        .flatMap(owner ->
            spared(
                pod,
                "is of DaemonSet %s, which would bring it back: it is not evicted; keep the DaemonSet off node %s"
                    .formatted(owner.getName(), pod.node())));
  }

  private static Optional<EvictionOutcome> isMirror(PodToEvict pod, Pod live) {
    return Objects.requireNonNullElse(live.getMetadata().getAnnotations(), Map.<String, String>of())
            .containsKey(MIRROR)
        ? spared(
            pod,
            "comes from a file of the kubelet on node %s: it cannot be evicted; remove the file"
                .formatted(pod.node()))
        : Optional.empty();
  }

  private static Optional<EvictionOutcome> spared(PodToEvict pod, String why) {
    return Optional.of(new EvictionOutcome.Spared(pod.text() + " " + why));
  }
}
