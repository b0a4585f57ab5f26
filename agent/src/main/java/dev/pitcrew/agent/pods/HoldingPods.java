package dev.pitcrew.agent.pods;

import dev.pitcrew.agent.plugin.KubeletCheckpoint;
import dev.pitcrew.agent.pods.KubeletPods.Response;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks the kubelet, over its pod-resources socket, which pods hold devices. It is asked seldom,
/// and nothing is kept open meanwhile.
public final class HoldingPods {
  private static final Logger LOG = LoggerFactory.getLogger(HoldingPods.class);

  /// What a replica of a shared device has after the UUID.
  private static final String REPLICA = "::";

  /// A container's devices of this driver come by a claim (DRA).
  private static final String CLAIM_DRIVER = "gpu.nvidia.com";

  private final HostRoot host;

  public HoldingPods(HostRoot host) {
    this.host = host;
  }

  /// The pods that hold a device of these; none where there is no kubelet, and empty where it does
  /// not answer, so that they are unknown.
  ///
  /// @param uuids of GPUs or MIG devices
  public Optional<List<HoldingPod>> of(Collection<String> uuids) {
    return pods(Optional.of(List.of())).map(all -> among(all, uuids));
  }

  /// The pods that hold a device, and those that may.
  ///
  /// @param byClaim pods with a GPU by a claim (DRA), whose UUID the kubelet does not report
  public record Holders(List<HoldingPod> holding, List<HoldingPod> byClaim) {
    public Holders {
      holding = List.copyOf(holding);
      byClaim = List.copyOf(byClaim);
    }

    public List<HoldingPod> all() {
      return Stream.concat(holding.stream(), byClaim.stream()).toList();
    }
  }

  /// As [#of], for a caller that must be sure: with all pods that may hold one, and empty also
  /// where there is no kubelet.
  public Optional<Holders> atMost(Collection<String> uuids) {
    return pods(Optional.empty()).map(all -> new Holders(among(all, uuids), byClaim(all)));
  }

  /// The devices, by UUID, that pods hold by the device plugin; empty where the kubelet does not
  /// report them.
  public Optional<Set<String>> heldDevices() {
    return pods(Optional.empty())
        .map(all ->
            all.stream()
                .flatMap(pod -> devices(pod).stream())
                .map(HoldingPods::uuid)
                .collect(Collectors.toUnmodifiableSet()));
  }

  private static List<HoldingPod> byClaim(List<PodResources> all) {
    return all.stream()
        .filter(pod ->
            pod.getContainersList().stream()
                .flatMap(container -> container.getDynamicResourcesList().stream())
                .flatMap(claim -> claim.getClaimResourcesList().stream())
                .anyMatch(claim -> claim.getDriverName().equals(CLAIM_DRIVER)))
        .map(pod -> new HoldingPod(pod.getNamespace(), pod.getName(), ""))
        .toList();
  }

  private List<HoldingPod> among(List<PodResources> all, Collection<String> uuids) {
    Map<String, String> uids = KubeletCheckpoint.podUids(host);
    return all.stream()
        .flatMap(pod ->
            devices(pod).stream()
                .filter(id -> uuids.contains(uuid(id)))
                .limit(1)
                .map(id ->
                    new HoldingPod(pod.getNamespace(), pod.getName(), uids.getOrDefault(id, ""))))
        .toList();
  }

  private Optional<List<PodResources>> pods(Optional<List<PodResources>> withoutKubelet) {
    try (var kubelet = new KubeletPods(host.place(KubeletPods.SOCKET))) {
      return switch (kubelet.ask()) {
        case Response.Pods(var pods) -> Optional.of(pods);
        case Response.NoSocket _ -> withoutKubelet;
        case Response.NoAnswer(var why) -> {
          LOG.atWarn().log("the kubelet does not report which pods hold devices: {}", why);
          yield Optional.empty();
        }
      };
    }
  }

  private static Set<String> devices(PodResources pod) {
    return pod.getContainersList().stream()
        .flatMap(container -> container.getDevicesList().stream())
        .filter(devices -> devices.getResourceName().startsWith("nvidia.com/"))
        .map(ContainerDevices::getDeviceIdsList)
        .flatMap(List::stream)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static String uuid(String device) {
    int replica = device.indexOf(REPLICA);
    return replica < 0 ? device : device.substring(0, replica);
  }
}
