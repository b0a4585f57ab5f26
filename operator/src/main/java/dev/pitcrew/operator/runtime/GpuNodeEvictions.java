package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.BlockedEviction;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.PodReference;
import dev.pitcrew.core.Backoff;
import dev.pitcrew.core.Outcome;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.eviction.EvictionOutcome;
import dev.pitcrew.operator.eviction.PodToEvict;
import dev.pitcrew.operator.runtime.eviction.Evictions;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Evicts the pods that agents name as in the way of a change of MIG, where FleetPolicy
/// `spec.mig.busy` is `Evict`, and reports in the GPUNode which of them stay and why. Otherwise,
/// nothing is watched. A refused eviction is tried again after a while: disruption budgets are not
/// watched, as that would be a watch and a right for a rare case. Pods are not watched either, so a
/// pod that seems to be gone is checked again as long as it is named.
final class GpuNodeEvictions implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GpuNodeEvictions.class);

  /// Pods evicted at the same time, of all nodes together: the API server may hold each answer back
  /// for half a second.
  private static final int AT_ONCE = 8;

  private static final Backoff PAUSES = new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(1));

  /// A pod that is gone leaves the agent's report soon, or never if the agent is gone as well.
  private static final Backoff UNTIL_UNSAID =
      new Backoff(Duration.ofSeconds(5), Duration.ofMinutes(10));

  private record Answer(PodReference pod, EvictionOutcome outcome) {}

  private final Applier applier;
  private final Caches caches;
  private final Events events;
  private final Evictions evictions;
  private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
  private final Parallel asking = new Parallel(AT_ONCE);
  private final GpuNodes gpuNodes;
  private final GpuNodes.Reader reader;

  /// Watches nothing yet.
  ///
  /// @param enqueue hands a GPUNode to a worker, by its name
  GpuNodeEvictions(
      GpuNodes gpuNodes,
      Applier applier,
      Caches caches,
      Events events,
      Evictions evictions,
      Consumer<String> enqueue) {
    this.applier = applier;
    this.caches = caches;
    this.events = events;
    this.evictions = evictions;
    this.gpuNodes = gpuNodes;
    reader = gpuNodes.reader(GpuNodeStatus::mig, enqueue, () -> {});
  }

  /// Watches GPUNodes as long as pods are to be evicted.
  void watchWhile(boolean wanted) {
    if (!wanted && reader.isWatching()) {
      leave();
    }
    reader.watchWhile(wanted);
  }

  Outcome reconcile(String name) {
    return gpuNodes
        .object(name)
        .filter(_ -> reader.isWatching())
        .map(this::evictUnlessCutOff)
        .orElseGet(() -> {
          attempts.remove(name);
          return Outcome.done();
        });
  }

  /// What was said of blocked evictions goes with the last one who would keep it right.
  private void leave() {
    gpuNodes.stream().forEach(this::clear);
    attempts.clear();
  }

  private void clear(GenericKubernetesResource node) {
    try {
      write(node, List.of());
    } catch (KubeException e) {
      log.warn("what was said of evictions stays in the GPUNode: {}", e.getMessage());
    }
  }

  /// Watches no more; another process goes on.
  @Override
  public void close() {
    reader.watchWhile(false);
  }

  private Outcome evictUnlessCutOff(GenericKubernetesResource node) {
    try {
      return evict(node);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Outcome.failed(e);
    }
  }

  private Outcome evict(GenericKubernetesResource node) throws InterruptedException {
    String name = node.getMetadata().getName();
    var blocked = new ArrayList<BlockedEviction>();
    boolean mayPass = false;
    for (Answer answer : askAll(name, GpuNodes.status(node).mig().inTheWay())) {
      PodReference pod = answer.pod();
      mayPass |= answer.outcome().mayPass();
      answer
          .outcome()
          .blocker()
          .ifPresent(message ->
              blocked.add(
                  new BlockedEviction(pod.namespace(), pod.name(), pod.uid(), message, Map.of())));
    }
    blocked.forEach(one -> emitBlocked(name, one.message()));
    if (write(node, blocked) instanceof ApplyResult.Refused(var message)) {
      return Outcome.wait(ObjectApply.RETRY_REFUSED, message);
    }
    if (!mayPass) {
      attempts.remove(name);
      return Outcome.done();
    }
    int attempt = attempts.merge(name, 1, Integer::sum);
    return blocked.isEmpty()
        ? Outcome.wait(UNTIL_UNSAID.ceiling(attempt), "its agent still names pods")
        : Outcome.wait(PAUSES.ceiling(attempt), blocked.getFirst().message());
  }

  private List<Answer> askAll(String node, List<PodReference> pods) throws InterruptedException {
    var answers = new ArrayList<Answer>();
    for (Future<Answer> ended : asking.each(pods, pod -> ask(node, pod))) {
      answers.add(Parallel.value(ended));
    }
    return answers;
  }

  private Answer ask(String node, PodReference pod) {
    return new Answer(
        pod,
        evictions.evict(
            new PodToEvict(pod.namespace(), pod.name(), pod.uid(), node),
            "FleetPolicy spec.mig.busy is Evict, and the MIG layout of node %s is to be changed"
                .formatted(node)));
  }

  private void emitBlocked(String node, String message) {
    caches
        .nodes()
        .get("", node)
        .ifPresent(it -> events.emitBlocker(it, "EvictionBlocked", message));
  }

  private ApplyResult write(GenericKubernetesResource node, List<BlockedEviction> blocked) {
    boolean isSaid = !GpuNodes.status(node).eviction().isAbsent();
    if (blocked.isEmpty() && !isSaid) {
      return new ApplyResult.Unchanged();
    }
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    if (blocked.isEmpty()) {
      status.putNull("eviction");
    } else {
      status.putObject("eviction").set("blocked", ApiJson.tree(blocked));
    }
    return applier.patchStatus(node, status);
  }
}
