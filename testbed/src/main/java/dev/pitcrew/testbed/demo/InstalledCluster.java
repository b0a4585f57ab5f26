package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.binaries.Binary;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.controlplane.ControlPlaneOptions;
import dev.pitcrew.testbed.controlplane.WorkDirectory;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.node.GpuMachine;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.RealCluster;
import dev.pitcrew.testbed.node.RealNode;
import dev.pitcrew.testbed.operator.OperatorProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/// Steps of the demo for who wants their result: two real nodes, one of them with GPUs, in a
/// cluster where the chart is installed, and operator and agents run as pods. Closing it, or the
/// end of this JVM in any way, removes all of it.
public final class InstalledCluster implements AutoCloseable {
  /// How many GPUs the server has.
  public static final int GPUS = RealNodeStep.GPUS;

  private static final String SERVER = "real-h100";
  private static final String OTHER = "no-gpu";

  /// What is installed.
  ///
  /// @param image the archive, or the folder that `make image` writes it to
  /// @param set values beside those of the file
  public record Installation(Path chart, Path values, Path image, Map<String, Object> set) {
    public Installation {
      set = Map.copyOf(set);
    }

    public Installation(Path chart, Path values, Path image) {
      this(chart, values, image, Map.of());
    }

    private DemoOptions options() {
      var operator = OperatorProgram.in(Path.of("operator", "target"));
      return new DemoOptions(
          true, new DemoOptions.NodeCounts(0, 0), operator, chart, values, image, false, false);
    }
  }

  private final RealCluster cluster;
  private final SimulatedNode gpus;

  private InstalledCluster(RealCluster cluster, SimulatedNode gpus) {
    this.cluster = cluster;
    this.gpus = gpus;
  }

  /// Returns when the agent has offered all GPUs.
  ///
  /// @param out shows each step and what it checks
  /// @param kubeletSetting a line of the KubeletConfiguration of the node with GPUs
  /// @throws TestbedException if a check fails
  public static InstalledCluster start(
      PrintWriter out, Installation installation, String kubeletSetting) {
    var screen = new Screen(out, false);
    var archive = DemoImage.in(installation.image()).archive();
    var installed = nodes(screen, kubeletSetting);
    try {
      installed.cluster.nodes().all().forEach(node -> node.importImage(archive));
      installed.install(screen, installation);
      return installed;
    } catch (RuntimeException | Error e) {
      new LogTails(screen, installed.controlPlane()).quote("operator", "gpu-operator");
      installed.close();
      throw e;
    }
  }

  private static InstalledCluster nodes(Screen screen, String kubeletSetting) {
    var binaries = Binaries.standard(screen::line);
    binaries.resolveAll(Binary.forNodes(true));
    var directory = WorkDirectory.temporary();
    try {
      var gpus =
          SimulatedNode.create(
              Files.createDirectories(directory.file("gpus")),
              SimulatedNodeOptions.of("h100").withGpus(GPUS));
      var server =
          GpuMachine.in(NodeSpec.named(SERVER), gpus)
              .withImage(
                  StaticProgram.PROBE.imageIn(Files.createDirectories(directory.file("probe"))))
              .withKubeletSetting(kubeletSetting);
      var cluster =
          RealCluster.start(
              directory, binaries, ControlPlaneOptions.defaults(), server, NodeSpec.named(OTHER));
      return new InstalledCluster(cluster, gpus);
    } catch (IOException e) {
      directory.close();
      throw new UncheckedIOException("create a folder for GPUs", e);
    } catch (RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  private void install(Screen screen, Installation installation) {
    var runner = new StepRunner(screen, true);
    new OperandSwitches(controlPlane().client(), SERVER).allOff();
    var chart =
        new ChartStep(
            screen,
            controlPlane(),
            installation.options(),
            Optional.of(OTHER),
            Optional.empty(),
            installation.set());
    var release = runner.play(chart);
    try (var live = new LiveCluster(controlPlane().client(), release.namespace())) {
      var operator = runner.play(new OperatorPodStep(screen, controlPlane(), live));
      var server = new GpuServer(server(), gpus);
      runner.play(new AgentStep(screen, controlPlane(), live, server, operator));
    }
  }

  public ControlPlane controlPlane() {
    return cluster.controlPlane();
  }

  /// The node with GPUs.
  public RealNode server() {
    return cluster.nodes().all().getFirst();
  }

  /// The node without, which also runs the operator.
  public RealNode other() {
    return cluster.nodes().all().getLast();
  }

  /// What the GPUs of the server are simulated by.
  public SimulatedNode gpus() {
    return gpus;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
