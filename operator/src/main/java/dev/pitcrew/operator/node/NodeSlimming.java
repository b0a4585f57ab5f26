package dev.pitcrew.operator.node;

import dev.pitcrew.api.node.SameDriver;
import dev.pitcrew.core.names.FieldManagers;
import dev.pitcrew.core.names.NodeLabels;
import dev.pitcrew.kube.cache.Slim;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Cuts a Node down to what the operator reads, on its way into the cache: images, most conditions
/// and managed fields make up nine tenths of a node and change with every heartbeat.
public final class NodeSlimming {
  private static final String NVIDIA_PREFIX = "nvidia.com/";
  private static final String UPGRADE_PREFIX = "pitcrew.dev/driver-upgrade";
  private static final ManagedFieldsEntry AGENT_ENTRY =
      new ManagedFieldsEntryBuilder()
          .withManager(FieldManagers.AGENT)
          .withOperation("Apply")
          .build();

  private NodeSlimming() {}

  /// A new Node with name, uid, resourceVersion, labels, our annotations, taints, `unschedulable`,
  /// four fields of nodeInfo, how much it has of the resources under `nvidia.com/`, whether it is
  /// ready, since when and why not, why the agent's condition is as it is, that agents have applied
  /// labels, but not which, and whether a program wrote the driver's label.
  public static Node slim(Node node) {
    var metadata = node.getMetadata();
    var spec = Objects.requireNonNullElseGet(node.getSpec(), NodeSpec::new);
    Node slim =
        new NodeBuilder()
            .withNewMetadata()
            .withName(metadata.getName())
            .withUid(metadata.getUid())
            .withResourceVersion(metadata.getResourceVersion())
            .withAnnotations(annotations(metadata, NodeSlimming::isRead))
            .withManagedFields(
                Stream.concat(
                        agentEntries(metadata).stream(), DriverLabel.entries(metadata).stream())
                    .toList())
            .endMetadata()
            .withNewSpec()
            .withUnschedulable(spec.getUnschedulable())
            .withTaints(spec.getTaints())
            .endSpec()
            .withNewStatus()
            .withNodeInfo(slim(nodeInfo(node)))
            .endStatus()
            .build();
    slim.getMetadata().setLabels(Slim.sharedLabels(node));
    resources(node, slim.getStatus());
    slim.getStatus()
        .setConditions(Stream.concat(condition(node).stream(), readiness(node).stream()).toList());
    return slim;
  }

  static Map<String, String> nvidiaAnnotations(ObjectMeta metadata) {
    return annotations(metadata, key -> key.startsWith(NVIDIA_PREFIX));
  }

  private static boolean isRead(String annotation) {
    return annotation.startsWith(NVIDIA_PREFIX)
        || annotation.startsWith(UPGRADE_PREFIX)
        || annotation.equals(NodeLabels.DRIVER_MANAGER_WAITS)
        || annotation.equals(SameDriver.ANNOTATION);
  }

  private static Map<String, String> annotations(ObjectMeta metadata, Predicate<String> which) {
    return Objects.requireNonNullElse(metadata.getAnnotations(), Map.<String, String>of())
        .entrySet()
        .stream()
        .filter(annotation -> which.test(annotation.getKey()))
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  static List<ManagedFieldsEntry> agentEntries(ObjectMeta metadata) {
    return Objects.requireNonNullElse(metadata.getManagedFields(), List.<ManagedFieldsEntry>of())
        .stream()
        .filter(entry -> FieldManagers.AGENT.equals(entry.getManager()))
        .filter(entry -> "Apply".equals(entry.getOperation()))
        .map(_ -> AGENT_ENTRY)
        .toList();
  }

  static NodeSystemInfo nodeInfo(Node node) {
    return Optional.ofNullable(node.getStatus())
        .map(status -> status.getNodeInfo())
        .orElseGet(NodeSystemInfo::new);
  }

  private static Optional<NodeCondition> condition(Node node) {
    return Optional.ofNullable(node.getStatus())
        .flatMap(status -> LeftMarks.condition(status.getConditions()))
        .map(it ->
            new NodeConditionBuilder().withType(it.getType()).withReason(it.getReason()).build());
  }

  /// Without its heartbeat, and without a message that says how long it has been so.
  private static Optional<NodeCondition> readiness(Node node) {
    return Optional.ofNullable(node.getStatus()).stream()
        .map(NodeStatus::getConditions)
        .flatMap(List::stream)
        .filter(it -> "Ready".equals(it.getType()))
        .findFirst()
        .map(it ->
            new NodeConditionBuilder()
                .withType(it.getType())
                .withStatus(it.getStatus())
                .withReason("True".equals(it.getStatus()) ? null : it.getReason())
                .withLastTransitionTime(it.getLastTransitionTime())
                .build());
  }

  /// Mostly the two are equal, and most nodes have none.
  private static void resources(Node node, NodeStatus slim) {
    if (node.getStatus() == null) {
      return;
    }
    Map<String, Quantity> capacity = ofNvidia(node.getStatus().getCapacity());
    Map<String, Quantity> allocatable = ofNvidia(node.getStatus().getAllocatable());
    slim.setCapacity(capacity);
    slim.setAllocatable(allocatable.equals(capacity) ? capacity : allocatable);
  }

  private static Map<String, Quantity> ofNvidia(@Nullable Map<String, Quantity> resources) {
    return Objects.requireNonNullElse(resources, Map.<String, Quantity>of()).entrySet().stream()
        .filter(resource -> resource.getKey().startsWith(NVIDIA_PREFIX))
        .collect(
            Collectors.toUnmodifiableMap(
                resource -> resource.getKey().intern(), Map.Entry::getValue));
  }

  private static NodeSystemInfo slim(NodeSystemInfo info) {
    var slim = new NodeSystemInfo();
    slim.setContainerRuntimeVersion(info.getContainerRuntimeVersion());
    slim.setKernelVersion(info.getKernelVersion());
    slim.setOsImage(info.getOsImage());
    slim.setArchitecture(info.getArchitecture());
    return slim;
  }
}
