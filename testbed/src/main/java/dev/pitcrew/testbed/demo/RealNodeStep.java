package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.Screen.Fact;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.node.GpuMachine;
import dev.pitcrew.testbed.node.NodeNetwork;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.RealNode;
import dev.pitcrew.testbed.node.RealNodes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Adds a node with a kubelet and a containerd of its own, and simulated GPUs.
record RealNodeStep(
    Screen screen,
    ControlPlane controlPlane,
    NodeNetwork network,
    Binaries binaries,
    DemoImage image,
    DemoDrivers drivers)
    implements Step<GpuServer> {
  static final int GPUS = 8;

  /// What the chart needs to know of simulated driver containers.
  static final Path VALUES = Path.of("demo", "real-node.yaml");

  private static final String NAME = "real-h100";

  @Override
  public String title() {
    return "A real node joins: kubelet, containerd, %d simulated H100s".formatted(GPUS);
  }

  @Override
  public GpuServer play(Checks checks) {
    var gpus =
        SimulatedNode.withoutDriver(
            folder("gpus"),
            SimulatedNodeOptions.of("h100")
                .withGpus(GPUS)
                .withDriver(drivers.first().version(), drivers.first().cuda()));
    var nodes = RealNodes.of(controlPlane, network, binaries);
    var node = join(nodes, gpus);
    var watch = Stopwatch.start();
    try (var _ = screen.waiting(() -> "importing " + image.archive())) {
      node.importImage(image.archive());
      drivers.imagesIn(folder("drivers")).forEach(node::importImage);
    }
    var imported = watch.elapsed();
    optOut();
    show(node, gpus, Words.of(imported));
    checks.equal(
        "NVIDIA functions on its PCI bus",
        GPUS,
        functions(node, "0x0302"),
        "cat /sys/bus/pci/devices/*/vendor on the node.");
    checks.equal(
        "images of containerd",
        true,
        images(node).stream().anyMatch(name -> name.contains("pitcrew:")),
        "The archive %s has none that is named so; 'make image' builds it."
            .formatted(image.archive()));
    return new GpuServer(node, gpus);
  }

  private RealNode join(RealNodes nodes, SimulatedNode gpus) {
    try (var _ = screen.waiting(() -> "waiting until the kubelet is Ready")) {
      return nodes.add(
          GpuMachine.in(NodeSpec.named(NAME), gpus)
              .withImage(StaticProgram.PROBE.imageIn(folder("probe")))
              .withKubeletSetting("nodeStatusUpdateFrequency: 1s"));
    }
  }

  /// Before a GPU is found on a node, the operator removes every switch of a single operand, as the
  /// NVIDIA GPU Operator does; the one of all operands stays.
  private void optOut() {
    new OperandSwitches(controlPlane.client(), NAME).allOff();
    screen.text(
        "The kubelet reports once a second (nodeStatusUpdateFrequency), ten times as often as by"
            + " default. Until its GPUs are found, the node is to get no operand:");
    screen.line("$ kubectl label node %s %s=false".formatted(NAME, OperandSwitches.ALL));
  }

  private void show(RealNode node, SimulatedNode gpus, String imported) {
    var info = controlPlane.client().nodes().withName(NAME).require().getStatus().getNodeInfo();
    screen.facts(
        List.of(
            new Fact(
                "node",
                "%s, %s, kubelet %s, %s, says it is %s"
                    .formatted(
                        NAME,
                        node.address(),
                        info.getKubeletVersion(),
                        info.getContainerRuntimeVersion(),
                        info.getOsImage())),
            new Fact(
                "GPUs",
                "%d x %s, no GPU behind /dev/nvidia*, no driver yet"
                    .formatted(gpus.gpus().size(), gpus.gpus().getFirst().name())),
            new Fact(
                "image",
                "%s (%d MiB) imported in %s"
                    .formatted(image.archive().getFileName(), image.sizeMiB(), imported)),
            new Fact("containerd has", String.join(" ", images(node)))));
  }

  private static long functions(RealNode node, String pciClass) {
    var command =
        "for it in /sys/bus/pci/devices/*; do cat $it/vendor $it/class | tr '\\n' ' '; echo; done";
    return node.exec("sh", "-c", command)
        .output()
        .lines()
        .filter(line -> line.startsWith("0x10de " + pciClass))
        .count();
  }

  private static List<String> images(RealNode node) {
    // Without what it logs.
    return node.exec("sh", "-c", "ctr -n k8s.io images ls -q 2> /dev/null")
        .output()
        .lines()
        .filter(name -> !name.startsWith("sha256:") && !name.startsWith("testbed.local/"))
        .toList();
  }

  private Path folder(String name) {
    try {
      return Files.createDirectories(controlPlane.directory().file(name));
    } catch (IOException e) {
      throw new UncheckedIOException("create the folder " + name, e);
    }
  }
}
