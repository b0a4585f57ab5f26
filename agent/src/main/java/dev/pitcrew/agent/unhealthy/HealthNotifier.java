package dev.pitcrew.agent.unhealthy;

import dev.pitcrew.agent.cluster.Events;
import dev.pitcrew.agent.cluster.ObjectEvent;
import dev.pitcrew.agent.context.AgentContext;
import dev.pitcrew.agent.control.Controller;
import dev.pitcrew.agent.node.NodeSnapshot;
import dev.pitcrew.agent.pods.HoldingPod;
import dev.pitcrew.agent.pods.HoldingPods;
import dev.pitcrew.agent.state.StateFolder;
import dev.pitcrew.device.inventory.Gpu;
import dev.pitcrew.device.inventory.MigDevice;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/// Records an Event for each pod that holds a device when the device becomes unhealthy or recovers,
/// so that users see it on the failing pod. The kubelet is queried only then.
public final class HealthNotifier implements Controller<Map<String, String>> {
  static final String FILE = "told-holders.json";

  private static final Duration UNTIL_REPORTED_AGAIN = Duration.ofSeconds(5);
  private static final Duration FOR_EVENTS = Duration.ofSeconds(2);

  private final AgentContext context;
  private final StateFolder folder;
  private final Events events;
  private final HoldingPods pods;

  /// Empty before the first look.
  private Optional<HealthNotices> reported = Optional.empty();

  public HealthNotifier(AgentContext context, StateFolder folder, Events events) {
    this.context = context;
    this.folder = folder;
    this.events = events;
    this.pods = new HoldingPods(context.host());
  }

  /// @param unhealthy the unhealthy devices by UUID, each with the reason
  @Override
  public Duration reconcile(Map<String, String> unhealthy) throws InterruptedException {
    Instant now = context.clock().instant();
    HealthNotices next =
        reported
            .or(() -> folder.read(FILE).flatMap(HealthNotices::read))
            .map(before -> before.after(unhealthy, now))
            .orElseGet(() -> HealthNotices.first(unhealthy, now));
    keep(next);
    return next.unreported().isEmpty() ? RESYNC : notifyHolders(next);
  }

  /// Stored before it is reported. A full disk loses only this record.
  private void keep(HealthNotices next) {
    if (!next.all().isEmpty() || reported.filter(it -> !it.all().isEmpty()).isPresent()) {
      folder.keep(FILE, next.text());
    }
    reported = Optional.of(next);
  }

  private Duration notifyHolders(HealthNotices next) throws InterruptedException {
    Set<String> asked = new TreeSet<>();
    next.unreported()
        .forEach((uuid, news) ->
            pods.of(Set.of(uuid))
                .ifPresent(holders -> {
                  asked.add(uuid);
                  holders.forEach(pod -> events.emit(event(uuid, news, pod), news.at() + uuid));
                }));
    if (events.awaitSent(FOR_EVENTS)) {
      keep(next.reported(asked::contains));
    }
    return reported.filter(it -> it.unreported().isEmpty()).isPresent()
        ? RESYNC
        : UNTIL_REPORTED_AGAIN;
  }

  /// Every device that a pod may hold, by its UUID.
  public static Map<String, String> unhealthy(NodeSnapshot.WithDriver loaded) {
    var unhealthy = new TreeMap<String, String>();
    for (Gpu gpu : loaded.gpus().inventory().gpus()) {
      loaded.unhealthy().health().of(gpu).ifPresent(why -> unhealthy.put(gpu.uuid(), why));
      for (MigDevice part : gpu.mig().migDevices()) {
        loaded.unhealthy().health().of(gpu, part).ifPresent(why -> unhealthy.put(part.uuid(), why));
      }
    }
    return unhealthy;
  }

  private ObjectEvent event(String uuid, HealthNotices.Notice news, HoldingPod pod) {
    return news.reason().isEmpty()
        ? recovered(uuid, pod)
        : becameUnhealthy(uuid, news.reason(), pod);
  }

  private ObjectEvent becameUnhealthy(String uuid, String why, HoldingPod pod) {
    return new ObjectEvent(
        subject(pod),
        ObjectEvent.Type.WARNING,
        "GpuUnhealthy",
        "%s of node %s, which this pod holds, is not well: %s; see the GPUNode %s"
            .formatted(uuid, context.identity().node(), why, context.identity().node()));
  }

  private ObjectEvent recovered(String uuid, HoldingPod pod) {
    return new ObjectEvent(
        subject(pod),
        ObjectEvent.Type.NORMAL,
        "GpuRecovered",
        "%s of node %s, which this pod holds, is well again"
            .formatted(uuid, context.identity().node()));
  }

  private static ObjectEvent.Subject subject(HoldingPod pod) {
    return ObjectEvent.Subject.pod(pod.namespace(), pod.name(), pod.uid());
  }
}
