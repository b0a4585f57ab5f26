package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.DemoOptions.NodeCounts;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import io.fabric8.kubernetes.api.model.Node;
import java.util.List;

/// Adds nodes as feature discovery leaves them: two kinds of GPU machines, and machines without.
record NodesStep(Screen screen, ControlPlane controlPlane, Binaries binaries, NodeCounts counts)
    implements Step<List<String>> {
  private static final int MOST_ROWS = 12;
  private static final String PCI_DEVICE = "feature.node.kubernetes.io/pci-10de.present";
  private static final String PRODUCT = "nvidia.com/gpu.product";

  @Override
  public String title() {
    return "Simulated nodes join";
  }

  /// @return the nodes with GPUs
  @Override
  public List<String> play(Checks checks) {
    var nodes = SimulatedNodes.start(controlPlane, PodsOnNodes.START, binaries);
    try (var _ = screen.waiting(() -> "waiting until the nodes can take pods")) {
      var secondKind = counts.gpu() / 2;
      nodes.create(gpus("h100").withProduct("NVIDIA-H100-80GB-HBM3"), counts.gpu() - secondKind);
      nodes.create(gpus("l40s").withProduct("NVIDIA-L40S"), secondKind);
      nodes.create(NodeTemplate.cpu("cpu"), counts.cpu());
    }
    var all = controlPlane.client().nodes().list().getItems();
    show(all, checks);
    return all.stream()
        .filter(node -> label(node, PCI_DEVICE).equals("true"))
        .map(node -> node.getMetadata().getName())
        .toList();
  }

  /// No device plugin reports any of these, so the node has them from the start.
  private static NodeTemplate gpus(String prefix) {
    return NodeTemplate.gpu(prefix).withAllocatable("nvidia.com/gpu", "8");
  }

  private void show(List<Node> nodes, Checks checks) {
    var header = List.of("NODE", "READY", "SYSTEM", "KERNEL", "RUNTIME", "PCI 10DE", "GPU PRODUCT");
    screen.table(Table.of(header, nodes.stream().map(NodesStep::cells)).firstRows(MOST_ROWS));
    checks.equal(
        "nodes that are Ready",
        counts.gpu() + counts.cpu(),
        nodes.stream().filter(node -> readiness(node).equals("True")).count(),
        "kwok.log in the work directory says what the nodes lack.");
    checks.equal(
        "nodes with an NVIDIA device",
        counts.gpu(),
        nodes.stream().filter(node -> label(node, PCI_DEVICE).equals("true")).count(),
        "The test bed's node template sets this label.");
  }

  private static List<String> cells(Node node) {
    var info = node.getStatus().getNodeInfo();
    return List.of(
        node.getMetadata().getName(),
        readiness(node),
        info.getOsImage(),
        info.getKernelVersion(),
        info.getContainerRuntimeVersion(),
        label(node, PCI_DEVICE),
        label(node, PRODUCT));
  }

  private static String readiness(Node node) {
    return node.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .findFirst()
        .map(condition -> condition.getStatus())
        .orElse("Unknown");
  }

  private static String label(Node node, String key) {
    return node.getMetadata().getLabels().getOrDefault(key, "-");
  }
}
