package dev.pitcrew.operator.runtime.gpunode;

import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pitcrew.api.Absent;
import dev.pitcrew.api.ApiJson;
import dev.pitcrew.api.Condition;
import dev.pitcrew.api.UnreadableResource;
import dev.pitcrew.api.node.AgentStatus;
import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.api.node.Gpu;
import dev.pitcrew.api.node.GpuHealth;
import dev.pitcrew.api.node.GpuNode;
import dev.pitcrew.api.node.GpuNodeStatus;
import dev.pitcrew.api.node.HostStatus;
import dev.pitcrew.api.node.MigInstance;
import dev.pitcrew.api.node.MigStatus;
import dev.pitcrew.api.node.NodeCondition;
import dev.pitcrew.api.node.RuntimeStatus;
import dev.pitcrew.api.node.SharingStatus;
import dev.pitcrew.kube.client.KubernetesJson;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Cuts a GPUNode down to what the operator reads of it: of the several kilobytes of a node with
/// eight GPUs some hundred bytes stay, and what is the same on all nodes that are well is held
/// once.
final class SlimGpuNodes {
  private static final String STATUS = "status";
  private static final String REPORT = "report";
  private static final ObjectNode NOTHING = KubernetesJson.MAPPER.createObjectNode();
  private static final List<String> OF_OPERATOR = List.of("rollout", "eviction", "driverRefusal");
  private static final Set<String> CONDITIONS =
      Set.of(
          NodeCondition.DRIVER_READY.type(),
          NodeCondition.RUNTIME_READY.type(),
          NodeCondition.VALIDATED.type(),
          NodeCondition.DEVICES_ADVERTISED.type(),
          NodeCondition.HEALTHY.type(),
          NodeCondition.READY.type());
  private static final List<MigInstance> DIVIDED =
      List.of(new MigInstance("", "", null, null, null, Map.of()));
  private static final int MOST_SHARED = 1_000;

  private final Map<Object, Object> shared = new ConcurrentHashMap<>();

  /// What is read of a GPUNode, carried by the slimmed object; it is never written.
  ///
  /// @param nodeUid of the Node that owns it
  record Report(String nodeUid, GpuNodeStatus status) {
    @JsonValue
    String text() {
      return "";
    }
  }

  /// Of an object that was slimmed.
  static Report report(GenericKubernetesResource slimmed) {
    return (Report) Objects.requireNonNull(slimmed.getAdditionalProperties().get(REPORT));
  }

  /// The object with its name, what is read of it, and what the operator wrote, for a write to be
  /// compared with.
  GenericKubernetesResource slim(GenericKubernetesResource whole) {
    String owner =
        whole.getMetadata().getOwnerReferences().stream()
            .findFirst()
            .map(OwnerReference::getUid)
            .orElse("");
    var slim = new GenericKubernetesResource();
    slim.setApiVersion(whole.getApiVersion().intern());
    slim.setKind(whole.getKind().intern());
    slim.setMetadata(metadata(whole.getMetadata()));
    slim.setAdditionalProperties(
        Map.of(STATUS, ofOperator(whole), REPORT, new Report(owner, status(whole))));
    return slim;
  }

  private static ObjectNode ofOperator(GenericKubernetesResource whole) {
    JsonNode before =
        KubernetesJson.MAPPER.valueToTree(whole.getAdditionalProperties()).path(STATUS);
    ObjectNode status = KubernetesJson.MAPPER.createObjectNode();
    OF_OPERATOR.stream()
        .filter(before::has)
        .forEach(section -> status.set(section, before.path(section)));
    return status.isEmpty() ? NOTHING : status;
  }

  private GpuNodeStatus status(GenericKubernetesResource whole) {
    GpuNodeStatus status = parse(whole);
    return new GpuNodeStatus(
        agent(status.agent()),
        status.gpuCount(),
        null,
        null,
        null,
        share(status.gpus().stream().map(this::gpu).toList()),
        HostStatus.ABSENT,
        status.driver().isAbsent() ? DriverStatus.ABSENT : share(status.driver()),
        RuntimeStatus.ABSENT,
        sharing(status.sharing()),
        mig(status.mig()),
        Absent.list(),
        share(
            status.conditions().stream()
                .filter(condition -> CONDITIONS.contains(condition.type()))
                .map(this::condition)
                .toList()),
        status.rollout(),
        status.eviction(),
        status.driverRefusal(),
        Map.of());
  }

  private static ObjectMeta metadata(ObjectMeta whole) {
    var slim = new ObjectMeta();
    slim.setName(whole.getName());
    slim.setUid(whole.getUid());
    slim.setResourceVersion(whole.getResourceVersion());
    return slim;
  }

  private static GpuNodeStatus parse(GenericKubernetesResource node) {
    try {
      return ApiJson.read(node.getAdditionalProperties(), GpuNode.class).status();
    } catch (UnreadableResource _) {
      return GpuNodeStatus.ABSENT; // an agent of a later release; its node waits for words we know
    }
  }

  private AgentStatus agent(AgentStatus whole) {
    return new AgentStatus(whole.pod(), share(whole.functions()), Map.of());
  }

  /// Of a GPU how well it is, and whether it is divided.
  private Gpu gpu(Gpu whole) {
    GpuHealth health =
        whole.health().isAbsent()
            ? GpuHealth.ABSENT
            : new GpuHealth(whole.health().level(), null, Absent.list(), Map.of());
    return share(
        new Gpu(
            "",
            null,
            null,
            null,
            null,
            null,
            whole.instances().isEmpty() ? Absent.list() : DIVIDED,
            Absent.list(),
            health,
            Map.of()));
  }

  private SharingStatus sharing(SharingStatus whole) {
    return whole.strategy() == null
        ? SharingStatus.ABSENT
        : share(new SharingStatus(null, whole.strategy(), null, Map.of()));
  }

  private static MigStatus mig(MigStatus whole) {
    return whole.inTheWay().isEmpty()
        ? MigStatus.ABSENT
        : new MigStatus(null, null, whole.inTheWay(), Map.of());
  }

  /// Since when, and in which words, is of interest only where something is wrong.
  private Condition condition(Condition whole) {
    return whole.isTrue()
        ? share(new Condition(whole.type(), "True", null, "", whole.reason(), "", Map.of()))
        : whole;
  }

  /// The same instance for equal values, of which there are few on a fleet that is well.
  @SuppressWarnings("unchecked") // what is equal is of the same class
  private <T> T share(T value) {
    if (shared.size() >= MOST_SHARED) {
      shared.clear();
    }
    return (T) Objects.requireNonNullElse(shared.putIfAbsent(value, value), value);
  }
}
