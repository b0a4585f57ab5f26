package dev.pitcrew.agent.process;

import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.Happening;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.pods.HoldingPod;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.settings.NodeFunction;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/// Tells the pods that hold a device when it falls ill and when it is well again, as Events of
/// theirs: whoever looks why his pod fails looks there. The kubelet is asked only then.
final class TellHolders implements Concern {
  private final AgentPlace place;
  private final Events events;
  private final HoldingPods pods;

  /// Why devices are sick, as it was told last; empty before the first look, which is no news.
  private Optional<Map<String, String>> told = Optional.empty();

  TellHolders(AgentPlace place, Events events) {
    this.place = place;
    this.events = events;
    this.pods = new HoldingPods(place.host());
  }

  @Override
  public Duration act(Situation situation) {
    boolean isOn = situation.settings().filter(it -> it.isOn(NodeFunction.HEALTH)).isPresent();
    // A driver that goes is no sickness of a GPU.
    if (!isOn || !(situation.snapshot().orElse(null) instanceof NodeSnapshot.WithDriver loaded)) {
      return SETTLED;
    }
    Map<String, String> now = sick(loaded);
    Map<String, String> before = told.orElse(now);
    told = Optional.of(now);
    tell(now, before, (uuid, pod) -> fellIll(uuid, now.getOrDefault(uuid, ""), pod));
    tell(before, now, this::recovered);
    return SETTLED;
  }

  /// Every device that a pod may hold, by its UUID.
  private static Map<String, String> sick(NodeSnapshot.WithDriver loaded) {
    var sick = new TreeMap<String, String>();
    for (Gpu gpu : loaded.gpus().inventory().gpus()) {
      loaded.health().of(gpu).ifPresent(why -> sick.put(gpu.uuid(), why));
      for (MigDevice part : gpu.mig().migDevices()) {
        loaded.health().of(gpu, part).ifPresent(why -> sick.put(part.uuid(), why));
      }
    }
    return sick;
  }

  /// What is in one and not in the other.
  private void tell(
      Map<String, String> here, Map<String, String> there, BiConsumer<String, HoldingPod> teller) {
    List<String> news = here.keySet().stream().filter(it -> !there.containsKey(it)).toList();
    for (String uuid : news) {
      pods.of(Set.of(uuid)).orElse(List.of()).forEach(pod -> teller.accept(uuid, pod));
    }
  }

  private void fellIll(String uuid, String why, HoldingPod pod) {
    events.tell(
        new Happening(
            subject(pod),
            Happening.Type.WARNING,
            "GpuUnhealthy",
            "%s of node %s, which this pod holds, is not well: %s; see the GPUNode %s"
                .formatted(uuid, place.identity().node(), why, place.identity().node())));
  }

  private void recovered(String uuid, HoldingPod pod) {
    events.tell(
        new Happening(
            subject(pod),
            Happening.Type.NORMAL,
            "GpuRecovered",
            "%s of node %s, which this pod holds, is well again"
                .formatted(uuid, place.identity().node())));
  }

  private static Happening.Subject subject(HoldingPod pod) {
    return Happening.Subject.pod(pod.namespace(), pod.name(), pod.uid());
  }
}
