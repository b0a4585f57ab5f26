package dev.pitcrew.testbed.command;

import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.binaries.Progress;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import dev.pitcrew.testbed.nodes.NodeTemplate;
import dev.pitcrew.testbed.nodes.PodsOnNodes;
import dev.pitcrew.testbed.nodes.SimulatedNodes;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "up",
    description = {
      "Start a control plane and stay until Ctrl-C.",
      "",
      "Everything is on loopback and in one folder; it all goes when this command ends, in whichever"
          + " way. Your own kubeconfig is not touched."
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

  private final PrintWriter out;

  Up(PrintWriter out) {
    this.out = out;
  }

  @Override
  public Integer call() throws InterruptedException {
    var binaries = Binaries.standard(Progress.standardError());
    var path = Testbeds.ofThisUser().directoryOf(name);
    binaries.resolveAll();
    var directory = WorkDirectory.at(path);
    var controlPlane = ControlPlane.start(directory, binaries, ControlPlaneOptions.defaults());
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(controlPlane)));
    if (gpuNodes + cpuNodes > 0) {
      var nodes = SimulatedNodes.start(controlPlane, PodsOnNodes.START, binaries);
      nodes.create(NodeTemplate.gpu("gpu"), gpuNodes);
      nodes.create(NodeTemplate.cpu("cpu"), cpuNodes);
    }
    tell(controlPlane, binaries);
    new CountDownLatch(1).await();
    return 0;
  }

  private void tell(ControlPlane controlPlane, Binaries binaries) {
    out.printf(
        "Test bed '%s' is ready: Kubernetes %s, %d GPU nodes, %d CPU nodes.%n",
        name, Binary.KUBE_APISERVER.version(), gpuNodes, cpuNodes);
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
