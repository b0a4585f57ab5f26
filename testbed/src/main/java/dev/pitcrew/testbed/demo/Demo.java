package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/// The whole demo. Its processes and files go when it ends, and when this JVM ends in any way.
final class Demo {
  private static final String OPERATOR_LOG = "operator.log";
  private static final int LOG_LINES = 15;
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
    screen.quote(
        "Pitcrew demo. Kubernetes is real and runs in a folder of its own; nodes and their pods are"
            + " simulated.");
    try {
      var controlPlane = runner.play(new ControlPlaneStep(screen, binaries));
      // Ctrl-C runs no finally block.
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(controlPlane)));
      return playOn(controlPlane);
    } catch (TestbedException e) {
      screen.heading("The demo failed: " + e.getMessage());
      return false;
    }
  }

  private void end(ControlPlane controlPlane) {
    if (!options.isOnce()) {
      screen.heading("Ending the operator and the control plane, and removing their files.");
    }
    controlPlane.close();
  }

  private boolean playOn(ControlPlane controlPlane) throws InterruptedException {
    try {
      var operator = playSteps(controlPlane);
      screen.heading("Done in %s: %s.".formatted(Words.of(watch.elapsed()), runner.summary()));
      if (!options.isOnce()) {
        invite(controlPlane, operator);
        new CountDownLatch(1).await();
      }
      return true;
    } catch (RuntimeException e) {
      quoteLog(controlPlane.directory().file(OPERATOR_LOG));
      throw e;
    }
  }

  private OperatorRun playSteps(ControlPlane controlPlane) {
    runner.play(new NodesStep(screen, controlPlane, binaries, options.nodes()));
    var release = runner.play(new ChartStep(screen, controlPlane, options));
    try (var cluster = new LiveCluster(controlPlane.client(), release.namespace())) {
      var operator =
          runner.play(new OperatorStep(screen, controlPlane, cluster, options.operator()));
      runner.play(new ReadyStep(screen, controlPlane, cluster, operator));
      var version = runner.play(new DriverVersionStep(screen, controlPlane, cluster));
      runner.play(new RollOutStep(screen, controlPlane, cluster, operator, version));
      return operator;
    }
  }

  private void invite(ControlPlane controlPlane, OperatorRun operator) {
    screen.heading("It keeps running until Ctrl-C, which removes it all. In another shell:");
    screen.quote(
        """

           export KUBECONFIG=%s
           alias kubectl=%s
           kubectl get clusterpolicy,nodes
           kubectl -n gpu-operator get daemonsets --watch
           kubectl label node h100-1 nvidia.com/gpu.deploy.driver=false --overwrite
           kubectl patch clusterpolicy cluster-policy --type merge -p '{"spec":{"dcgm":{"enabled":true}}}'
           curl -s %s
           tail -f %s
        """
            .formatted(
                controlPlane.kubeconfigFile(),
                binaries.resolve(Binary.KUBECTL),
                operator.metricsAddress(),
                operator.process().log()));
  }

  /// The end of the operator's log, which would otherwise go with the work directory.
  private void quoteLog(Path log) {
    if (Files.notExists(log)) {
      return;
    }
    try (var lines = Files.lines(log)) {
      var all = lines.toList();
      screen.heading("The operator's log ends with:");
      all.subList(Math.max(0, all.size() - LOG_LINES), all.size()).forEach(screen::quote);
    } catch (IOException e) {
      throw new UncheckedIOException("read " + log, e);
    }
  }
}
