package dev.pitcrew.agent.metrics;

import dev.pitcrew.agent.metrics.plan.MetricsSettings.PodMapping;
import dev.pitcrew.agent.plugin.KubeletCheckpoint;
import dev.pitcrew.agent.pods.KubeletPods;
import dev.pitcrew.agent.pods.KubeletPods.Response;
import dev.pitcrew.hardware.HostRoot;
import dev.pitcrew.kubelet.podresources.PodResources;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The holder of each device, as the kubelet reports it.
final class PodSource implements AutoCloseable {
  private final HostRoot host;
  private final PodMapping mapping;
  private final KubeletPods kubelet;

  /// What came of asking.
  ///
  /// @param problem why the kubelet did not answer
  record Answer(Holders holders, Optional<String> problem) {}

  PodSource(HostRoot host, PodMapping mapping) {
    this.host = host;
    this.mapping = mapping;
    this.kubelet = new KubeletPods(host.place(mapping.socket()));
  }

  /// @param before what holds on where the kubelet does not answer
  Answer read(Holders before) {
    return switch (kubelet.ask()) {
      case Response.Pods(var pods) ->
          new Answer(Holders.of(pods, uids(pods), mapping), Optional.empty());
      case Response.NoSocket(var why) -> new Answer(Holders.none(mapping), Optional.of(why));
      case Response.NoAnswer(var why) -> new Answer(before, Optional.of(why));
    };
  }

  /// The kubelet does not report UIDs on this socket, but keeps them in a file.
  private Map<String, String> uids(List<PodResources> pods) {
    boolean isWanted =
        mapping.hasUids()
            || pods.stream()
                .flatMap(pod -> pod.getContainersList().stream())
                .flatMap(container -> container.getDevicesList().stream())
                .flatMap(devices -> devices.getDeviceIdsList().stream())
                .anyMatch(Holders::isShare);
    return isWanted ? KubeletCheckpoint.podUids(host) : Map.of();
  }

  @Override
  public void close() {
    kubelet.close();
  }
}
