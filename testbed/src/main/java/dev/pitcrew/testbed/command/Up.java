package dev.pitcrew.testbed.command;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.NodeSupport;
import dev.pitcrew.testbed.node.RealCluster;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "up",
    description = {
      "Start a control plane and stay until Ctrl-C.",
      "",
      "Everything is on loopback and in one folder (with real nodes, also on a bridge of its own);"
          + " it all goes when this command ends, in whichever way. Your own kubeconfig is not"
          + " touched."
    })
final class Up implements Callable<Integer> {
  @Option(
      names = "--name",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "Several can run, each with its own name. Default: ${DEFAULT-VALUE}")
  private String name = "default";

  @Option(
      names = "--gpu-nodes",
      paramLabel = "N",
      defaultValue = "0",
      description = "Simulated nodes with an NVIDIA device: gpu-1 to gpu-N.")
  private int gpuNodes;

  @Option(
      names = "--cpu-nodes",
      paramLabel = "N",
      defaultValue = "0",
      description = "Simulated nodes without one: cpu-1 to cpu-N.")
  private int cpuNodes;

  @Option(
      names = "--real-nodes",
      paramLabel = "N",
      defaultValue = "0",
      description = {
        "Real nodes, on which pods really run: real-1 to real-N. They take root on Linux.",
        "Images come from archives; see 'ctr images import'."
      })
  private int realNodes;

  private final PrintWriter out;

  Up(PrintWriter out) {
    this.out = out;
  }

  @Override
  public Integer call() throws InterruptedException {
    var binaries = Binaries.standard(Progress.standardError());
    var path = Testbeds.ofThisUser().directoryOf(name);
    if (realNodes > 0) {
      requireSupport();
    }
    binaries.resolveAll(Binary.forNodes(realNodes > 0));
    var controlPlane = realNodes > 0 ? withRealNodes(path, binaries) : loopback(path, binaries);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(controlPlane)));
    if (gpuNodes + cpuNodes > 0) {
      var nodes = SimulatedNodes.start(controlPlane, PodsOnNodes.START, binaries);
      nodes.create(NodeTemplate.gpu("gpu"), gpuNodes);
      nodes.create(NodeTemplate.cpu("cpu"), cpuNodes);
    }
    print(controlPlane, binaries);
    new CountDownLatch(1).await();
    return 0;
  }

  private static ControlPlane loopback(Path path, Binaries binaries) {
    return ControlPlane.start(WorkDirectory.at(path), binaries, ControlPlaneOptions.defaults());
  }

  /// Before anything is built for them.
  private static void requireSupport() {
    var support = NodeSupport.ofThisMachine(Progress.standardError());
    if (!support.isAvailable()) {
      throw new TestbedException(support.explanation());
    }
  }

  private ControlPlane withRealNodes(Path path, Binaries binaries) {
    var specs =
        IntStream.rangeClosed(1, realNodes).mapToObj(number -> NodeSpec.named("real-" + number));
    return RealCluster.start(
            WorkDirectory.at(path),
            binaries,
            ControlPlaneOptions.defaults(),
            specs.toArray(NodeSpec[]::new))
        .controlPlane();
  }

  private void print(ControlPlane controlPlane, Binaries binaries) {
    out.printf(
        "Test bed '%s' is ready: Kubernetes %s, %d GPU nodes, %d CPU nodes, %d real nodes.%n",
        name, Binary.KUBE_APISERVER.version(), gpuNodes, cpuNodes, realNodes);
    out.printf("%n  export KUBECONFIG=%s%n", controlPlane.kubeconfigFile());
    out.printf("  %s get nodes%n%n", binaries.resolve(Binary.KUBECTL));
    out.printf("Logs and audit log: %s%n", controlPlane.directory().path());
    out.println("Ctrl-C here, or 'testbed down --name " + name + "', ends it and removes it all.");
    out.flush();
  }

  private static void end(ControlPlane controlPlane) {
    System.err.println("testbed: ending");
    controlPlane.close();
  }
}
