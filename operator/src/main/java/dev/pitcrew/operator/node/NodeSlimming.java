package dev.pitcrew.operator.node;

import dev.pitcrew.kube.cache.Slim;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeSpec;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/// Cuts a Node down to what the operator reads, on its way into the cache: images, conditions,
/// capacity and managed fields make up nine tenths of a node and change with every heartbeat.
public final class NodeSlimming {
  private static final String NVIDIA_PREFIX = "nvidia.com/";

  private NodeSlimming() {}

  /// A new Node with name, uid, resourceVersion, labels, our annotations, taints, `unschedulable`
  /// and four fields of nodeInfo.
  public static Node slim(Node node) {
    var metadata = node.getMetadata();
    var spec = Objects.requireNonNullElseGet(node.getSpec(), NodeSpec::new);
    Node slim =
        new NodeBuilder()
            .withNewMetadata()
            .withName(metadata.getName())
            .withUid(metadata.getUid())
            .withResourceVersion(metadata.getResourceVersion())
            .withAnnotations(nvidiaAnnotations(metadata))
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
    return slim;
  }

  static Map<String, String> nvidiaAnnotations(ObjectMeta metadata) {
    return Objects.requireNonNullElse(metadata.getAnnotations(), Map.<String, String>of())
        .entrySet()
        .stream()
        .filter(annotation -> annotation.getKey().startsWith(NVIDIA_PREFIX))
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  static NodeSystemInfo nodeInfo(Node node) {
    return Optional.ofNullable(node.getStatus())
        .map(status -> status.getNodeInfo())
        .orElseGet(NodeSystemInfo::new);
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
