package dev.pitcrew.operator.node;

import static dev.pitcrew.core.names.NodeLabels.FEATURE_PREFIX;

import dev.pitcrew.api.node.DriverStatus;
import dev.pitcrew.core.names.NodeLabels;
import io.fabric8.kubernetes.api.model.Node;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// What one Node object says about its GPUs and its system.
///
/// @param annotations those under `nvidia.com/` only
/// @param containerRuntimeVersion as the kubelet reports it, such as `containerd://2.1.4`; empty
///   before its first report
/// @param kernelVersion as the kubelet reports it; empty before its first report
/// @param isDriverLabelAutomatic whether `nvidia.com/gpu.deploy.driver` is as a program that has
///   looked at the node wrote it, and no user
/// @param driver what the node's agent has said of the driver, [DriverStatus#ABSENT] before
/// @param isPauseLeft whether a driver manager has paused operands and neither it nor another is
///   there, or to come, to end that
/// @param isGpuReported whether the GPU detector on the node has found one
public record NodeFacts(
    String name,
    String uid,
    String resourceVersion,
    Map<String, String> labels,
    Map<String, String> annotations,
    String containerRuntimeVersion,
    String kernelVersion,
    boolean isDriverLabelAutomatic,
    DriverStatus driver,
    boolean isPauseLeft,
    boolean isGpuReported) {

  private static final List<String> GPU_DEVICE_LABELS =
      List.of(
          FEATURE_PREFIX + "pci-10de.present",
          FEATURE_PREFIX + "pci-0302_10de.present",
          FEATURE_PREFIX + "pci-0300_10de.present");

  /// Products that can be partitioned, for as long as nothing on the node has said so itself.
  private static final List<String> MIG_PRODUCTS = List.of("h100", "a100", "a30");

  public NodeFacts {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }

  /// Of a node that no agent has reported on and whose labels have not been inspected.
  public NodeFacts(
      String name,
      String uid,
      String resourceVersion,
      Map<String, String> labels,
      Map<String, String> annotations,
      String containerRuntimeVersion,
      String kernelVersion) {
    this(
        name,
        uid,
        resourceVersion,
        labels,
        annotations,
        containerRuntimeVersion,
        kernelVersion,
        false,
        DriverStatus.ABSENT,
        false,
        false);
  }

  /// Reads a Node as the API server sends it or as [NodeSlimming] keeps it.
  public static NodeFacts of(Node node) {
    var metadata = node.getMetadata();
    var info = NodeSlimming.nodeInfo(node);
    return new NodeFacts(
        metadata.getName(),
        Objects.requireNonNullElse(metadata.getUid(), ""),
        Objects.requireNonNullElse(metadata.getResourceVersion(), ""),
        Objects.requireNonNullElse(metadata.getLabels(), Map.of()),
        NodeSlimming.nvidiaAnnotations(metadata),
        Objects.requireNonNullElse(info.getContainerRuntimeVersion(), ""),
        Objects.requireNonNullElse(info.getKernelVersion(), ""),
        DriverLabel.isAutomatic(metadata),
        DriverStatus.ABSENT,
        false,
        false);
  }

  /// The same with what its agent has said.
  public NodeFacts with(DriverStatus report) {
    return with(report, isPauseLeft, isGpuReported);
  }

  /// The same where it is known whether a pause was left.
  public NodeFacts withPauseLeft(boolean isLeft) {
    return with(driver, isLeft, isGpuReported);
  }

  /// The same with what the GPU detector reports.
  public NodeFacts withGpuReported(boolean isReported) {
    return with(driver, isPauseLeft, isReported);
  }

  private NodeFacts with(DriverStatus report, boolean isLeft, boolean isReported) {
    return new NodeFacts(
        name,
        uid,
        resourceVersion,
        labels,
        annotations,
        containerRuntimeVersion,
        kernelVersion,
        isDriverLabelAutomatic,
        report,
        isLeft,
        isReported);
  }

  /// Feature discovery, or the GPU detector before it, found an NVIDIA PCI device.
  public boolean hasGpuDevice() {
    return hasGpuFeature() || hasLabel(NodeLabels.GPU_DETECTED, "true");
  }

  /// Feature discovery found an NVIDIA PCI device.
  boolean hasGpuFeature() {
    return GPU_DEVICE_LABELS.stream().anyMatch(key -> hasLabel(key, "true"));
  }

  /// The node is labelled as a GPU node, by us or by GPU feature discovery.
  public boolean isGpuNode() {
    return hasLabel(NodeLabels.GPU_PRESENT, "true");
  }

  /// Feature discovery has labelled the node at all.
  public boolean hasFeatureLabels() {
    return labels.keySet().stream().anyMatch(key -> key.startsWith(FEATURE_PREFIX));
  }

  /// Its GPU can be partitioned. A vGPU guest cannot; otherwise the capability label decides, and
  /// the product where it is missing.
  public boolean isMigCapable() {
    if (!label(NodeLabels.VGPU_HOST_DRIVER_VERSION).orElse("").isEmpty()) {
      return false;
    }
    return label(NodeLabels.MIG_CAPABLE).map("true"::equals).orElseGet(this::hasMigProduct);
  }

  /// A user keeps every operand off this node.
  public boolean optsOut() {
    return hasLabel(NodeLabels.DEPLOY_OPERANDS, "false");
  }

  /// `ubuntu`, `rhel`, `rhcos`, …
  public Optional<String> osId() {
    return label(NodeLabels.OS_ID);
  }

  /// The whole version, not only its major part.
  public Optional<String> osVersion() {
    return label(NodeLabels.OS_VERSION_ID);
  }

  /// The running kernel as feature discovery reports it.
  public Optional<String> kernel() {
    return label(NodeLabels.KERNEL_VERSION);
  }

  /// Present on image-based systems such as RHEL CoreOS.
  public Optional<String> ostreeVersion() {
    return label(NodeLabels.OSTREE_VERSION);
  }

  /// The value of a label, which may be the empty string.
  public Optional<String> label(String key) {
    return Optional.ofNullable(labels.get(key));
  }

  private boolean hasLabel(String key, String value) {
    return value.equals(labels.get(key));
  }

  private boolean hasMigProduct() {
    String product = label(NodeLabels.GPU_PRODUCT).orElse("").toLowerCase(Locale.ROOT);
    return MIG_PRODUCTS.stream().anyMatch(product::contains);
  }
}
