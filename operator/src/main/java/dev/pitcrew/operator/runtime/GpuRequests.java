package dev.pitcrew.operator.runtime;

import dev.pitcrew.core.Outcome;
import dev.pitcrew.core.requests.RequestChecks;
import dev.pitcrew.core.requests.Shortfall;
import dev.pitcrew.kube.cache.Cache;
import dev.pitcrew.kube.cache.CacheOptions;
import dev.pitcrew.kube.cache.Change;
import dev.pitcrew.kube.cache.OccasionalCache;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.requests.RequestReading;
import dev.pitcrew.operator.requests.WaitingPods;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// Says on a pod that waits for GPUs why no node can ever run it. Nothing is asked of the API
/// server while no pod has such an error; one that has costs two calls an hour.
final class GpuRequests implements AutoCloseable {
  /// How long a pod waits in silence for GPU nodes that are being set up: a driver that is compiled
  /// takes most of it.
  static final Duration TIMEOUT = Duration.ofMinutes(10);

  /// API servers forget an Event after an hour, and the pod still waits.
  private static final Duration SAY_AGAIN = Duration.ofMinutes(65);

  /// Nodes seldom change alone.
  private static final Duration SOON = Duration.ofSeconds(1);

  private record Said(String uid, Shortfall.Cause cause, Instant until) {}

  private final Events events;
  private final DeviceClasses deviceClasses;
  private final InstantSource clock;
  private final BiConsumer<String, Duration> wake;
  private final SupplyIndex supply = new SupplyIndex();
  private final Map<String, Said> said = new ConcurrentHashMap<>();
  private final OccasionalCache<Pod> watched;

  /// Watches nothing yet.
  ///
  /// @param wake has a pod looked at, by its key, after a while
  GpuRequests(
      KubernetesClient client,
      Events events,
      InstantSource clock,
      BiConsumer<String, Duration> wake) {
    this.events = events;
    this.deviceClasses = new DeviceClasses(client, clock);
    this.clock = clock;
    this.wake = wake;
    watched = new OccasionalCache<>(() -> Cache.of(client, Pod.class, options()), this::podChanged);
  }

  /// Takes in what became of a node.
  void take(Change<Node> change) {
    if (supply.take(change)) {
      watched.now().stream()
          .flatMap(Cache::stream)
          .map(GpuRequests::key)
          .forEach(pod -> wake.accept(pod, SOON));
    }
  }

  /// Watches pods as long as they are wanted.
  void watchWhile(boolean wanted) {
    watched.watchWhile(wanted);
    if (!wanted) {
      said.clear();
    }
  }

  Outcome reconcile(String key) {
    int slash = key.indexOf('/');
    return watched
        .now()
        .flatMap(pods -> pods.get(key.substring(0, slash), key.substring(slash + 1)))
        .flatMap(pod ->
            RequestChecks.shortfall(
                    RequestReading.demand(pod.getSpec()),
                    supply.choice(RequestReading.placement(pod.getSpec())))
                .map(shortfall -> say(pod, shortfall)))
        .orElseGet(Outcome::done);
  }

  @Override
  public void close() {
    watchWhile(false);
  }

  private static CacheOptions<Pod> options() {
    return CacheOptions.<Pod>all()
        .withFields(WaitingPods.FIELDS)
        .slimmedBy(WaitingPods::slim)
        .keeping(WaitingPods::waits);
  }

  private void podChanged(Change<Pod> change) {
    String key = key(change.latest());
    if (change instanceof Change.Deleted<Pod>) {
      said.remove(key);
    } else {
      wake.accept(key, Duration.ZERO);
    }
  }

  private Outcome say(Pod pod, Shortfall shortfall) {
    Duration pause = pause(pod, shortfall);
    if (pause.isPositive()) {
      return Outcome.wait(pause, shortfall.note());
    }
    if (deviceClasses.serve(shortfall.resource())) {
      return Outcome.done();
    }
    var message = new Events.Message(Events.Type.WARNING, shortfall.reason(), shortfall.note());
    if (!events.emitOnce(pod, message, shortfall.cause().name())) {
      return Outcome.wait(ObjectApply.RETRY_REFUSED, "no Event could be sent");
    }
    Instant until = clock.instant().plus(SAY_AGAIN);
    said.put(key(pod), new Said(pod.getMetadata().getUid(), shortfall.cause(), until));
    return Outcome.wait(SAY_AGAIN, shortfall.note());
  }

  /// How long there is nothing to say yet, or again.
  private Duration pause(Pod pod, Shortfall shortfall) {
    Instant now = clock.instant();
    @Nullable Said last = said.get(key(pod));
    if (last != null
        && last.uid().equals(pod.getMetadata().getUid())
        && last.cause() == shortfall.cause()) {
      return Duration.between(now, last.until());
    }
    Instant born = Instant.parse(pod.getMetadata().getCreationTimestamp());
    return shortfall.mayPass() ? Duration.between(now, born.plus(TIMEOUT)) : Duration.ZERO;
  }

  private static String key(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }
}
