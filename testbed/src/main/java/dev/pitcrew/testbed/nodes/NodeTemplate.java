package dev.pitcrew.testbed.nodes;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.api.model.NodeSystemInfoBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/// What the nodes of one pool look like.
///
/// @param prefix nodes are called `<prefix>-1`, `<prefix>-2`, …
/// @param system what runs on the machines
/// @param labels beyond those that follow from name and system
/// @param allocatable also the capacity
public record NodeTemplate(
    String prefix, NodeSystem system, Map<String, String> labels, Map<String, String> allocatable) {
  /// Marks the nodes that kwok plays.
  static final String SIMULATED = "testbed.pitcrew.dev/simulated";

  private static final Map<String, String> LARGE_MACHINE =
      Map.of("cpu", "64", "memory", "512Gi", "ephemeral-storage", "1000Gi", "pods", "250");

  public NodeTemplate {
    labels = Map.copyOf(labels);
    allocatable = Map.copyOf(allocatable);
  }

  /// A machine in which feature discovery has found an NVIDIA PCI device, and nothing else is set
  /// up yet.
  public static NodeTemplate gpu(String prefix) {
    return cpu(prefix).withLabel("feature.node.kubernetes.io/pci-10de.present", "true");
  }

  public static NodeTemplate cpu(String prefix) {
    return new NodeTemplate(prefix, NodeSystem.ubuntu(), Map.of(), LARGE_MACHINE);
  }

  public NodeTemplate withLabel(String key, String value) {
    return new NodeTemplate(prefix, system, with(labels, key, value), allocatable);
  }

  /// The product label that a node carries once its GPUs have been looked at.
  public NodeTemplate withProduct(String product) {
    return withLabel("nvidia.com/gpu.product", product);
  }

  public NodeTemplate withSystem(NodeSystem newSystem) {
    return new NodeTemplate(prefix, newSystem, labels, allocatable);
  }

  public NodeTemplate withAllocatable(String resource, String quantity) {
    return new NodeTemplate(prefix, system, labels, with(allocatable, resource, quantity));
  }

  /// The node with the given number, Ready from its first moment, as a kubelet registers one.
  public Node node(int number) {
    var name = prefix + "-" + number;
    var resources = new TreeMap<String, Quantity>();
    allocatable.forEach((resource, amount) -> resources.put(resource, new Quantity(amount)));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToAnnotations(SIMULATED, "true")
        .addToLabels(system.labels())
        .addToLabels("kubernetes.io/hostname", name)
        .addToLabels(labels)
        .endMetadata()
        .withNewStatus()
        .withAllocatable(resources)
        .withCapacity(resources)
        .withNodeInfo(nodeInfo())
        .withConditions(conditions())
        .addNewAddress(name, "Hostname")
        .endStatus()
        .build();
  }

  private NodeSystemInfo nodeInfo() {
    return new NodeSystemInfoBuilder()
        .withArchitecture(system.architecture())
        .withOperatingSystem("linux")
        .withKernelVersion(system.kernelVersion())
        .withOsImage(system.distribution() + " " + system.distributionVersion())
        .withContainerRuntimeVersion(system.containerRuntime())
        .withKubeletVersion(system.kubeletVersion())
        .withKubeProxyVersion("")
        .withBootID("")
        .withMachineID("")
        .withSystemUUID("")
        .build();
  }

  private static List<NodeCondition> conditions() {
    var ready = condition("Ready", "True", "KubeletReady");
    var pressures =
        Stream.of("MemoryPressure", "DiskPressure", "PIDPressure")
            .map(type -> condition(type, "False", "KubeletHasNo" + type));
    return Stream.concat(Stream.of(ready), pressures).toList();
  }

  private static NodeCondition condition(String type, String status, String reason) {
    return new NodeConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(reason)
        .withMessage("simulated")
        .build();
  }

  private static Map<String, String> with(Map<String, String> map, String key, String value) {
    var extended = new TreeMap<>(map);
    extended.put(key, value);
    return extended;
  }
}
