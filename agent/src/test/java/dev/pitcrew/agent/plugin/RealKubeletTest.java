package dev.pitcrew.agent.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.GuardedProcess;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.image.StaticProgram;
import dev.pitcrew.testbed.junit.NeedsRealNodes;
import dev.pitcrew.testbed.node.NodeSpec;
import dev.pitcrew.testbed.node.RealCluster;
import dev.pitcrew.testbed.node.RealNode;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// `pitcrew plugin` on a node with a real kubelet and a real containerd; only the GPUs are
/// simulated.
@NeedsRealNodes
class RealKubeletTest {
  private static final int GPUS = 4;
  private static final int NVIDIA = 195;
  private static final int UVM = 510;
  private static final String RESOURCE = "nvidia.com/gpu";
  private static final String HOOK = "/usr/bin/pitcrew-cdi-hook";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private static Path folder;
  private static SimulatedNode gpus;
  private static RealCluster cluster;
  private static RealNode node;
  private static GuardedProcess plugin;

  @BeforeAll
  static void start() throws IOException {
    Path gpuFolder = Files.createDirectories(folder.resolve("gpus"));
    gpus = SimulatedNode.create(gpuFolder, SimulatedNodeOptions.of("h100").withGpus(GPUS));
    Path program = Files.createDirectories(folder.resolve("program"));
    String classPath = ClassPathCopy.into(program);
    cluster =
        RealCluster.start(
            withDeviceNodes(NodeSpec.named("gpu-node"))
                .withImage(StaticProgram.PROBE.imageIn(folder))
                .withMount(gpuFolder, gpuFolder.toString())
                .withMount(gpus.driverRoot(), gpus.options().driverRoot())
                .withMount(program, program.toString())
                .withMount(hook(), HOOK));
    node = cluster.nodes().all().getFirst();
    plugin = node.start("pitcrew-plugin", commandLine(classPath));
    awaitAllocatable(GPUS);
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void aPodGetsTheGpusThatItAsksForAndNoOther() {
    try (var pod = GpuPod.run(client(), node.name(), 2)) {
      assertThat(pod.gpus()).hasSize(2);
      assertThat(pod.words())
          .contains("env NVIDIA_CTK_LIBCUDA_DIR=/usr/lib/x86_64-linux-gnu")
          .anyMatch(line -> line.startsWith("device /dev/nvidiactl c 195:255"));
    }
  }

  @Test
  void aSickGpuIsTakenFromTheKubeletUntilTheDriverIsLoadedAnew() {
    gpus.xid(3, 79);
    awaitAllocatable(GPUS - 1);

    gpus.unloadDriver();
    awaitAllocatable(0);

    gpus.loadDriver();
    awaitAllocatable(GPUS);
  }

  @Test
  void aNewKubeletKnowsTheGpusAgainAndThePodsKeepTheirs() {
    try (var pod = GpuPod.run(client(), node.name(), 1)) {
      List<String> before = pod.gpus();

      node.restartKubelet();

      awaitAllocatable(GPUS);
      try (var others = GpuPod.run(client(), node.name(), GPUS - 1)) {
        assertThat(others.gpus()).doesNotContainAnyElementsOf(before);
      }
      assertThat(pod.isRunning()).isTrue();
    }
  }

  /// Those that the driver makes, under its numbers.
  private static NodeSpec withDeviceNodes(NodeSpec spec) {
    NodeSpec more =
        spec.withDevice("/dev/nvidiactl", NVIDIA, 255)
            .withDevice("/dev/nvidia-modeset", NVIDIA, 254)
            .withDevice("/dev/nvidia-uvm", UVM, 0)
            .withDevice("/dev/nvidia-uvm-tools", UVM, 1);
    for (int gpu = 0; gpu < GPUS; gpu++) {
      more = more.withDevice("/dev/nvidia" + gpu, NVIDIA, gpu);
    }
    return more;
  }

  private static void awaitAllocatable(int count) {
    await()
        .alias("allocatable " + RESOURCE)
        .atMost(LIMIT)
        .untilAsserted(() -> assertThat(allocatable()).as(plugin.logTail()).isEqualTo(count));
  }

  private static int allocatable() {
    Map<String, Quantity> allocatable =
        client().nodes().withName(node.name()).require().getStatus().getAllocatable();
    return Integer.parseInt(
        Objects.requireNonNullElse(allocatable.get(RESOURCE), new Quantity("-1")).getAmount());
  }

  private static KubernetesClient client() {
    return cluster.controlPlane().client();
  }

  private static Path hook() {
    return Path.of("../native/build/hook/pitcrew-cdi-hook").toAbsolutePath().normalize();
  }

  private static String[] commandLine(String classPath) {
    return new String[] {
      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1",
      "--enable-native-access=ALL-UNNAMED",
      "-cp",
      classPath,
      "dev.pitcrew.agent.command.Main",
      "plugin",
      "--host-root=" + gpus.hostRoot(),
      "--driver-root=" + gpus.options().driverRoot(),
      "--device-list-strategy=cdi-cri",
      "--nvidia-cdi-hook-path=" + HOOK,
    };
  }
}
