package dev.pitcrew.agent.pods;

import dev.pitcrew.agent.plugin.KubeletCheckpoint;
import dev.pitcrew.agent.pods.KubeletPods.Heard;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.kubelet.podresources.ContainerDevices;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Asks the kubelet, over its pod-resources socket, which pods hold devices. It is asked seldom,
/// and nothing is kept open meanwhile.
public final class HoldingPods {
  private static final Logger LOG = LoggerFactory.getLogger(HoldingPods.class);

  /// What a replica of a shared device has after the UUID.
  private static final String REPLICA = "::";

  private final HostRoot host;

  public HoldingPods(HostRoot host) {
    this.host = host;
  }

  /// The pods that hold a device of these; none where there is no kubelet, and empty where it does
  /// not answer, so that nobody knows.
  ///
  /// @param uuids of GPUs or MIG devices
  public Optional<List<HoldingPod>> of(Collection<String> uuids) {
    return pods().map(all -> among(all, uuids));
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

  private Optional<List<PodResources>> pods() {
    try (var kubelet = new KubeletPods(host.place(KubeletPods.SOCKET))) {
      return switch (kubelet.ask()) {
        case Heard.Pods(var pods) -> Optional.of(pods);
        case Heard.NoSocket _ -> Optional.of(List.of());
        case Heard.NoAnswer(var why) -> {
          LOG.atWarn().log("the kubelet does not tell which pods hold devices: {}", why);
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
