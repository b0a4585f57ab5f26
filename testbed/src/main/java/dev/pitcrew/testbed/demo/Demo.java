package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.ControlPlaneStep.Grounds;
import dev.pitcrew.testbed.node.NodeSupport;
import dev.pitcrew.testbed.nodes.SimulatedAgents;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/// The whole demo. Its processes and files go when it ends, and when this JVM ends in any way.
final class Demo {
  private final Screen screen;
  private final DemoOptions options;
  private final Binaries binaries;
  private final StepRunner runner;
  private final Stopwatch watch = Stopwatch.start();

  Demo(Screen screen, DemoOptions options) {
    this.screen = screen;
    this.options = options;
    this.binaries = Binaries.standard(screen::line);
    this.runner = new StepRunner(screen, options.isOnce());
  }

  /// Returns when the demo is over: after Ctrl-C, or after the last step when it is to run once.
  ///
  /// @return whether all went well
  boolean run() throws InterruptedException {
    screen.quote("Pitcrew demo. Kubernetes is real and runs in a folder of its own.");
    try {
      var image = imageForRealNode();
      var grounds = runner.play(new ControlPlaneStep(screen, binaries, image.isPresent()));
      // Ctrl-C runs no finally block.
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(grounds.controlPlane())));
      return playOn(grounds, image);
    } catch (TestbedException e) {
      screen.heading("The demo failed: " + e.getMessage());
      return false;
    }
  }

  /// What the real node is to run; empty where there is to be none, with a word on why.
  ///
  /// @throws TestbedException if this machine could run the node and there is nothing to run on it
  private Optional<DemoImage> imageForRealNode() {
    if (options.isSimulatedOnly()) {
      return withoutRealNode("--simulated-only asks for it");
    }
    var support = NodeSupport.ofThisMachine(screen::line);
    if (!support.isAvailable()) {
      return withoutRealNode(support.explanation());
    }
    screen.text("One node is real, its GPUs are simulated; the other nodes are simulated.");
    return Optional.of(DemoImage.in(options.image()));
  }

  private Optional<DemoImage> withoutRealNode(String reason) {
    screen.text(
        "All nodes and their pods are simulated (%s). Left out: a real node, operator and agent as"
                .formatted(reason)
            + " pods, GPUs in a container, an unhealthy GPU, time-slicing.");
    return Optional.empty();
  }

  private void end(ControlPlane controlPlane) {
    if (!options.isOnce()) {
      screen.heading("Ending the pods and the control plane, and removing their files.");
    }
    controlPlane.close();
  }

  private boolean playOn(Grounds grounds, Optional<DemoImage> image) throws InterruptedException {
    try {
      var operator =
          options.isTakeover()
              ? new Takeover(screen, runner, binaries, options, grounds)
                  .play(image.orElseThrow(Demo::withoutTakeover))
              : playSteps(grounds, image);
      screen.heading("Done in %s: %s.".formatted(Words.of(watch.elapsed()), runner.summary()));
      if (!options.isOnce()) {
        invite(grounds.controlPlane(), operator, image.isPresent());
        new CountDownLatch(1).await();
      }
      return true;
    } catch (RuntimeException e) {
      new LogTails(screen, grounds.controlPlane()).quote("operator", "gpu-operator");
      throw e;
    }
  }

  private static TestbedException withoutTakeover() {
    return new TestbedException("a take-over is shown on a real node: run it as root on Linux");
  }

  private OperatorRun playSteps(Grounds grounds, Optional<DemoImage> image) {
    var controlPlane = grounds.controlPlane();
    var nodes = runner.play(new NodesStep(screen, controlPlane, binaries, options.nodes()));
    var server = image.map(it -> runner.play(realNode(grounds, it)));
    var before = server.map(it -> UninstallStep.Before.of(controlPlane, it));
    var release =
        runner.play(
            new ChartStep(
                screen,
                controlPlane,
                options,
                server.map(GpuServer::name),
                server.map(_ -> RealNodeStep.VALUES),
                Map.of()));
    SimulatedAgents.start(controlPlane.client(), nodes); // until this JVM ends
    try (var cluster = new LiveCluster(controlPlane.client(), release.namespace())) {
      var operator = runner.play(operator(controlPlane, cluster, server.isPresent()));
      runner.play(new ReadyStep(screen, controlPlane, cluster, operator));
      server.ifPresent(it -> playOnRealNode(it, controlPlane, cluster, operator));
      var version =
          runner.play(new RollOutStep(screen, controlPlane, cluster, options.operator(), server));
      runner.play(new RolledBackStep(screen, controlPlane, cluster, operator, version, server));
      if (options.isOnce() && server.isPresent()) {
        var gpus = server.get();
        runner.play(
            new UninstallStep(screen, controlPlane, cluster, gpus, release, before.orElseThrow()));
      }
      return operator;
    }
  }

  private RealNodeStep realNode(Grounds grounds, DemoImage image) {
    return new RealNodeStep(
        screen,
        grounds.controlPlane(),
        grounds.network().orElseThrow(),
        binaries,
        image,
        DemoDrivers.of(DemoValues.read(options.values())));
  }

  private Step<OperatorRun> operator(
      ControlPlane controlPlane, LiveCluster cluster, boolean isPod) {
    return isPod
        ? new OperatorPodStep(screen, controlPlane, cluster)
        : new OperatorStep(screen, controlPlane, cluster, options.operator());
  }

  private void playOnRealNode(
      GpuServer server, ControlPlane controlPlane, LiveCluster cluster, OperatorRun operator) {
    var facts = runner.play(new AgentStep(screen, controlPlane, cluster, server, operator));
    runner.play(new GpuPodStep(screen, controlPlane, server));
    runner.play(new RuntimeClassPodStep(screen, controlPlane, cluster, server, facts));
    runner.play(new UserNamespaceStep(screen, controlPlane, server));
    runner.play(new ValidationStep(screen, controlPlane, cluster, server, facts));
    runner.play(new PluginStep(screen, controlPlane, cluster, plugin(controlPlane), server.name()));
    runner.play(new UnhealthyGpuStep(screen, cluster, server, facts));
    runner.play(new ClaimsStep(screen, controlPlane, cluster, server, facts));
    runner.play(new MigStep(screen, controlPlane, cluster, server, facts));
    runner.play(new TimeSlicingStep(screen, controlPlane, cluster, facts));
  }

  /// Until this JVM ends.
  private static String serve(KubectlGpu plugin) {
    var console = plugin.console();
    Runtime.getRuntime().addShutdownHook(new Thread(console::close));
    return console.address();
  }

  private KubectlGpu plugin(ControlPlane controlPlane) {
    return new KubectlGpu(binaries.resolve(Binary.KUBECTL), controlPlane.kubeconfigFile());
  }

  private void invite(ControlPlane controlPlane, OperatorRun operator, boolean hasRealNode) {
    var plugin = plugin(controlPlane);
    var console =
        hasRealNode && !options.isTakeover()
            ? "kubectl gpu console   # it runs already: %s".formatted(serve(plugin))
            : "";
    screen.heading("It keeps running until Ctrl-C, which removes it all. In another shell:");
    screen.quote(
        """

           export KUBECONFIG=%s
           export PATH=%s:%s:$PATH
           kubectl gpu status
           kubectl get clusterpolicy,%snodes
           kubectl -n gpu-operator get daemonsets --watch
           kubectl label node h100-1 nvidia.com/gpu.deploy.driver=false --overwrite
           kubectl patch clusterpolicy cluster-policy --type merge -p '{"spec":{"dcgm":{"enabled":true}}}'
           curl -s %s
           %s
           %s
        """
            .formatted(
                controlPlane.kubeconfigFile(),
                plugin.kubectl().getParent(),
                KubectlGpu.LAUNCHER.toAbsolutePath().getParent(),
                hasRealNode ? "gpunodes," : "",
                operator.metricsAddress(),
                operator.logCommand(),
                console));
  }
}
