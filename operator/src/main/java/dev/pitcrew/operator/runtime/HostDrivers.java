package dev.pitcrew.operator.runtime;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.node.DriverRefusal;
import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.kube.apply.Applier;
import dev.pitcrew.kube.apply.ApplyResult;
import dev.pitcrew.kube.apply.KubeException;
import dev.pitcrew.kube.client.KubernetesJson;
import dev.pitcrew.kube.condition.Conditions;
import dev.pitcrew.kube.event.Events;
import dev.pitcrew.operator.node.DriverDecision;
import dev.pitcrew.operator.runtime.gpunode.GpuNodes;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What agents report about drivers that hosts bring themselves. A driver that is not the wanted
/// one is shown in the GPUNode of the node, by an Event, and by a condition of the resource that
/// wants another.
final class HostDrivers {
  private static final String CONDITION = "HostDriverRefused";
  private static final Logger log = LoggerFactory.getLogger(HostDrivers.class);

  private final GpuNodes gpuNodes;
  private final Applier applier;
  private final Events events;
  private final List<GpuNodes.Reader> readers;

  /// Watches nothing yet.
  ///
  /// @param changed hears of each node of which the agent says something else of the driver
  /// @param refused run when another driver is refused than before
  /// @param listed run when all that agents say is known
  HostDrivers(
      GpuNodes gpuNodes,
      Applier applier,
      Events events,
      Consumer<String> changed,
      Runnable refused,
      Runnable listed) {
    this.gpuNodes = gpuNodes;
    this.applier = applier;
    this.events = events;
    this.readers =
        List.of(
            gpuNodes.reader(GpuNodeStatus::driver, changed, listed),
            gpuNodes.reader(GpuNodeStatus::driverRefusal, _ -> refused.run(), () -> {}));
  }

  /// Watches as long as there are agents, and drivers are wanted. What was said goes with the last
  /// one who would keep it right.
  void watchWhile(boolean wanted) {
    if (!wanted && readers.getFirst().isWatching()) {
      gpuNodes.stream().forEach(node -> write(node, DriverRefusal.ABSENT));
    }
    readers.forEach(reader -> reader.watchWhile(wanted));
  }

  /// What the agent of a node has said of the driver.
  DriverStatus report(String node, String uid) {
    return readers.getFirst().isWatching()
        ? gpuNodes.of(node, uid).map(GpuNodeStatus::driver).orElse(DriverStatus.ABSENT)
        : DriverStatus.ABSENT;
  }

  /// Says in the GPUNode what was decided, if that differs.
  void publish(String node, DriverDecision decision) {
    Optional<DriverRefusal> wanted =
        switch (decision) {
          case DriverDecision.Refuse(var reason, var message, var wantedBy) ->
              Optional.of(new DriverRefusal(reason, message, wantedBy, Map.of()));
          case DriverDecision.Install _, DriverDecision.Adopt _ ->
              Optional.of(DriverRefusal.ABSENT);
          case DriverDecision.Undecided _ -> Optional.empty();
        };
    wanted.ifPresent(it -> gpuNodes.object(node).ifPresent(live -> write(live, it)));
  }

  /// What a ClusterPolicy or NVIDIADriver says of nodes that have another driver; empty where it
  /// has never had to say so.
  Optional<Condition> condition(GenericKubernetesResource resource, String wantedBy) {
    long generation = resource.getMetadata().getGeneration();
    SequencedMap<String, DriverRefusal> refusals = refusals(wantedBy);
    if (refusals.isEmpty()) {
      return StatusConditions.of(resource).stream()
          .filter(it -> it.getType().equals(CONDITION))
          .findFirst()
          .map(_ -> Conditions.of(CONDITION, "False", "NoneRefused", "", generation));
    }
    DriverRefusal first = refusals.sequencedValues().getFirst();
    String others =
        refusals.size() == 1
            ? ""
            : "; and so on %d more nodes: kubectl get gpunodes -o custom-columns=NODE:.metadata.name,WHY:.status.driverRefusal.message"
                .formatted(refusals.size() - 1);
    return Optional.of(
        Conditions.of(CONDITION, "True", first.reason(), first.message() + others, generation));
  }

  private SequencedMap<String, DriverRefusal> refusals(String wantedBy) {
    var refusals = new TreeMap<String, DriverRefusal>();
    gpuNodes.stream()
        .forEach(node -> {
          DriverRefusal refusal = GpuNodes.status(node).driverRefusal();
          if (refusal.wantedBy().equals(wantedBy)) {
            refusals.put(node.getMetadata().getName(), refusal);
          }
        });
    return refusals;
  }

  private void write(GenericKubernetesResource gpuNode, DriverRefusal refusal) {
    if (GpuNodes.status(gpuNode).driverRefusal().equals(refusal)) {
      return;
    }
    String name = gpuNode.getMetadata().getName();
    boolean isRefused = !refusal.equals(DriverRefusal.ABSENT);
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    if (isRefused) {
      status.set("driverRefusal", ApiJson.tree(refusal));
    } else {
      status.putNull("driverRefusal");
    }
    try {
      if (applier.patchStatus(gpuNode, status) instanceof ApplyResult.Refused(String message)) {
        log.warn("the API server refused what GPUNode {} says of its driver: {}", name, message);
      } else if (isRefused) {
        log.info("{}: {}", refusal.reason(), refusal.message());
        events.emit(gpuNode, Events.Type.WARNING, refusal.reason(), refusal.message());
      }
    } catch (KubeException e) {
      log.warn("GPUNode {} does not say what its driver is: {}", name, e.getMessage());
    }
  }
}
