package dev.pitcrew.testbed.demo;

import dev.pitcrew.testbed.TestbedException;
import dev.pitcrew.testbed.binaries.Binaries;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.demo.ControlPlaneStep.Grounds;
import dev.pitcrew.testbed.demo.DemoOptions.NodeCounts;
import dev.pitcrew.testbed.gpu.SimulatedGpu;
import dev.pitcrew.testbed.nodes.ReportingAgents;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The demo of a take-over: a cluster that the NVIDIA GPU Operator has managed, with three
/// simulated nodes and a real one, `helm upgrade` to Pitcrew, and the way back.
record Takeover(
    Screen screen, StepRunner runner, Binaries binaries, DemoOptions options, Grounds grounds) {
  private static final int NODES = 3;
  private static final String FEATURE = "feature.node.kubernetes.io/";
  private static final Map<String, Object> WITHOUT_AGENT =
      Map.of("fleetPolicy", Map.of("agent", Map.of("enabled", false)));

  OperatorRun play(DemoImage image) {
    var controlPlane = grounds.controlPlane();
    var nodes =
        runner.play(new NodesStep(screen, controlPlane, binaries, new NodeCounts(NODES, 0)));
    var server =
        runner.play(
            new RealNodeStep(
                screen,
                controlPlane,
                grounds.network().orElseThrow(),
                binaries,
                image,
                DemoDrivers.of(DemoValues.read(options.values()))));
    discover(controlPlane, server);
    var all = Stream.concat(nodes.stream(), Stream.of(server.name())).sorted().toList();
    var release =
        runner.play(
            new ChartStep(
                screen,
                controlPlane,
                options,
                Optional.of(server.name()),
                Optional.of(RealNodeStep.VALUES),
                WITHOUT_AGENT));
    var policy =
        controlPlane.client().genericKubernetesResources(Policy.KIND).list().getItems().getFirst();
    var names =
        OperandImage.in(folder(controlPlane), binaries, uuids(server))
            .importFor(policy, server.node());
    screen.text("Images of NVIDIA's operands are not here; stand-ins have their names: " + names);
    try (var cluster = new LiveCluster(controlPlane.client(), release.namespace());
        var _ = new ReportingAgents(controlPlane.client(), server.name()::equals)) {
      runner.play(new ReferenceStep(screen, controlPlane, cluster, server));
      try (var training = TrainingPod.run(controlPlane.client(), cluster, server.name())) {
        if (training.running().isEmpty()) {
          throw new TestbedException("the pod with a GPU is not ready: " + cluster.troubles());
        }
        var on = values(server);
        var off = on.with(WITHOUT_AGENT);
        for (var toAgent : new boolean[] {true, false}) {
          runner.play(
              new ChangeOverStep(
                  screen,
                  controlPlane,
                  cluster,
                  options,
                  release,
                  toAgent ? on : off,
                  all,
                  training,
                  toAgent));
        }
      }
      return runner.play(new OperatorPodStep(screen, controlPlane, cluster));
    }
  }

  private DemoValues values(GpuServer server) {
    return DemoValues.read(options.values())
        .with(DemoValues.read(RealNodeStep.VALUES).all())
        .with(
            Map.of(
                "operator",
                Map.of("nodeSelector", Map.of("kubernetes.io/hostname", server.name()))));
  }

  /// Labels the real node as node-feature-discovery does, which the NVIDIA GPU Operator needs.
  private static void discover(ControlPlane controlPlane, GpuServer server) {
    var labels = new TreeMap<String, @Nullable String>();
    labels.put(OperandSwitches.ALL, null);
    labels.put(FEATURE + "pci-10de.present", "true");
    labels.put(FEATURE + "system-os_release.ID", "ubuntu");
    labels.put(FEATURE + "system-os_release.VERSION_ID", "22.04");
    labels.put(FEATURE + "kernel-version.full", System.getProperty("os.version"));
    controlPlane
        .client()
        .nodes()
        .withName(server.name())
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(Map.of("metadata", Map.of("labels", labels))));
  }

  private static List<String> uuids(GpuServer server) {
    return server.gpus().gpus().stream().map(SimulatedGpu::uuid).toList();
  }

  private static Path folder(ControlPlane controlPlane) {
    try {
      return Files.createDirectories(controlPlane.directory().file("operands"));
    } catch (IOException e) {
      throw new UncheckedIOException("create the folder of the operands' image", e);
    }
  }
}
