package dev.pitcrew.agent.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pitcrew.agent.plugin.TestKubelet;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.HostFaults;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each blocker on a simulated node with a real API server: how soon it is seen in a condition, an
/// Event and the table of the GPUNode, and how soon it is gone when its cause is gone.
@WithControlPlane
class BlockersTest {
  private static final String RUNTIME = "/etc/containerd/config.toml";
  private static final String HANDLER =
      "[plugins.\"io.containerd.cri.v1.runtime\".containerd.runtimes.nvidia]\n";
  private static final String HOOK = "/usr/local/nvidia/toolkit/nvidia-cdi-hook";
  private static final String DRIVER = "/run/nvidia/driver";
  private static final String VALIDATIONS = "/run/nvidia/validations/";
  private static final String GPU = "nvidia.com/gpu";
  private static final int GPUS = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration PACE = Duration.ofMillis(20);

  @TempDir private Path folder;
  private final ControlPlane plane;
  private final KubernetesClient client;
  private final TestNamespace namespace;
  private final List<String> table = new ArrayList<>();
  private RunningAgent agent;
  private TestKubelet kubelet;

  BlockersTest(ControlPlane plane, KubernetesClient client, TestNamespace namespace) {
    this.plane = plane;
    this.client = client;
    this.namespace = namespace;
  }

  private interface Step {
    void run() throws IOException;
  }

  /// @param type of the condition that names it
  private record Blocker(String reason, String type, Step cause, Step remedy) {}

  @BeforeEach
  void prepare() throws IOException {
    agent = RunningAgent.prepare(plane, namespace.name(), folder);
    kubelet = TestKubelet.start(agent.kubeletFolder());
    faults().file(RUNTIME, HANDLER);
    faults().file(HOOK, "");
    agent.provide("\"labels\", \"devicePlugin\", \"validation\"");
    agent.label("nvidia.com/gpu.deploy.operator-validator", "true");
    agent.label("nvidia.com/gpu.deploy.container-toolkit", "true");
    agent.allocatable(GPU, GPUS);
  }

  @AfterEach
  void end() throws IOException {
    agent.close();
    kubelet.close();
  }

  @Test
  void eachBlockerIsNamedWhileItLastsAndNoLonger() throws IOException {
    for (Blocker blocker : blockers()) {
      // One agent tells some Events at once and then one in ten seconds.
      agent.start();
      awaitWell();
      follow(blocker);
      agent.stop();
    }

    print();
  }

  @Test
  void statusFilesFollowTheTruth() throws IOException {
    agent.start();
    awaitWell();
    await()
        .atMost(LIMIT)
        .until(() -> ready().containsAll(List.of("cuda-ready", "driver-ready", "plugin-ready")));
    assertThat(ready()).contains("toolkit-ready").doesNotContain("gdrcopy-ready");

    node().unloadDriver();
    await().atMost(LIMIT).until(() -> ready().isEmpty());
    node().loadDriver();
    await().atMost(LIMIT).until(() -> ready().contains("plugin-ready"));

    agent.label("nvidia.com/gpu.deploy.operator-validator", "paused-for-driver-upgrade");
    await().atMost(LIMIT).until(() -> ready().isEmpty());
    await().atMost(LIMIT).until(() -> agent.condition("Validated").equals("False Paused"));
    agent.label("nvidia.com/gpu.deploy.operator-validator", "true");
    awaitWell();

    agent.label("nvidia.com/gpu.deploy.operator-validator", "false");
    await().atMost(LIMIT).until(() -> agent.condition("Validated").isEmpty());
    assertThat(ready()).as("somebody else's from now on").contains("driver-ready");
  }

  private List<Blocker> blockers() {
    return Stream.of(ofTheKernel(), ofTheDriver(), ofTheRest()).flatMap(List::stream).toList();
  }

  private List<Blocker> ofTheKernel() {
    return List.of(
        ofDriver(
            "NouveauLoaded",
            () -> {
              node().unloadDriver();
              bind("nouveau");
              faults().loadModule("nouveau");
            },
            () -> {
              faults().unloadModule("nouveau");
              bind("nvidia");
              node().loadDriver();
            }),
        ofDriver(
            "GpuBoundToVfio",
            () -> {
              bind("vfio-pci");
              node().unloadDriver();
            },
            () -> {
              bind("nvidia");
              node().loadDriver();
            }),
        ofDriver(
            "SecureBootRefusedModule",
            () -> {
              faults().secureBoot(true);
              faults().kernelSays("nvidia: module with unavailable key is rejected");
              node().unloadDriver();
            },
            () -> {
              faults().secureBoot(false);
              node().loadDriver();
            }),
        ofDriver("ModuleNotLoaded", node()::unloadDriver, node()::loadDriver));
  }

  private List<Blocker> ofTheDriver() {
    return List.of(
        ofDriver(
            "DriverNotInstalled",
            () -> {
              node().unloadDriver();
              faults().hide(DRIVER);
            },
            () -> {
              faults().restore(DRIVER);
              node().loadDriver();
            }),
        ofDriver(
            "DriverVersionMismatch",
            () -> {
              node().mismatch();
              node().unloadDriver();
              node().loadDriver();
            },
            node()::match),
        ofDriver(
            "DeviceNodesMissing",
            () -> faults().hide("/dev/nvidia1"),
            () -> faults().restore("/dev/nvidia1")),
        ofDriver(
            "FabricManagerNotRunning",
            () -> everyGpu(gpu -> node().set(gpu, "fabric_state", "2")),
            () -> everyGpu(gpu -> node().set(gpu, "fabric_state", "3"))),
        ofDriver(
            "GpuNotListed",
            () -> {
              // GPUs that have answered once are known, and lost; these never did.
              agent.stop();
              everyGpu(gpu -> node().lose(gpu));
              Files.delete(agent.stateFolder().resolve(HealthMemory.FILE));
              agent.start();
            },
            () -> everyGpu(gpu -> node().restore(gpu))));
  }

  private List<Blocker> ofTheRest() {
    String status = VALIDATIONS + ".driver-daemons-status";
    String parts = VALIDATIONS + ".driver-ctr-ready";
    Path specification = agent.cdiFolder().resolve("nvidia.yaml");
    return List.of(
        new Blocker(
            "DriverStarting",
            "Validated",
            () -> faults().file(status, "NotReady\n"),
            () -> faults().file(status, "Ready\n")),
        new Blocker(
            "StorageModuleNotLoaded",
            "Validated",
            () -> faults().file(parts, "GDS_ENABLED: true\n"),
            () -> faults().loadModule("nvidia_fs")),
        new Blocker(
            "NoRuntimeHandler",
            "Validated",
            () -> faults().hide(RUNTIME),
            () -> faults().restore(RUNTIME)),
        new Blocker(
            "CdiSpecificationBroken",
            "Validated",
            () ->
                Files.writeString(
                    specification,
                    "kind: nvidia.com/gpu\ncontainerEdits:\n  mounts: [{hostPath: /gone}]\n"),
            () -> Files.delete(specification)));
  }

  private static Blocker ofDriver(String reason, Step cause, Step remedy) {
    return new Blocker(reason, "DriverReady", cause, remedy);
  }

  private void follow(Blocker blocker) throws IOException {
    long caused = System.nanoTime();
    blocker.cause().run();
    reach(blocker, () -> agent.condition(blocker.type()).equals("False " + blocker.reason()));
    Duration seen = Duration.ofNanos(System.nanoTime() - caused);
    reach(blocker, () -> agent.condition("Validated").startsWith("False"));
    reach(blocker, () -> failures().contains(blocker.reason()));
    reach(blocker, () -> events().contains(blocker.reason()));
    reach(blocker, () -> agent.condition("Ready").startsWith("False"));

    long remedied = System.nanoTime();
    blocker.remedy().run();
    reach(blocker, () -> agent.condition(blocker.type()).startsWith("True"));
    Duration gone = Duration.ofNanos(System.nanoTime() - remedied);
    awaitWell();
    assertThat(failures()).isEmpty();
    table.add(
        "%-26s %-12s %8d ms %8d ms"
            .formatted(blocker.reason(), blocker.type(), seen.toMillis(), gone.toMillis()));
  }

  private void reach(Blocker blocker, BooleanSupplier state) {
    await()
        .atMost(LIMIT)
        .pollInterval(PACE)
        .untilAsserted(() ->
            assertThat(state.getAsBoolean())
                .as("%s: %s", blocker.reason(), agent.gpuNode().at("/status"))
                .isTrue());
  }

  @SuppressWarnings("SystemOut")
  private void print() {
    var text =
        new StringBuilder(
            "\n%-26s %-12s %11s %11s\n"
                .formatted("blocker", "condition", "seen after", "gone after"));
    table.forEach(line -> text.append(line).append('\n'));
    System.out.println(text);
  }

  private void awaitWell() {
    await()
        .atMost(LIMIT)
        .pollInterval(PACE)
        .untilAsserted(() -> {
          assertThat(agent.condition("Validated"))
              .as(agent.gpuNode().at("/status").toString())
              .isEqualTo("True Validated");
          assertThat(agent.condition("Ready")).isEqualTo("True Ready");
        });
  }

  private SimulatedNode node() {
    return agent.gpus();
  }

  private HostFaults faults() {
    return node().faults();
  }

  private void bind(String driver) {
    node().gpus().forEach(gpu -> faults().bind(gpu.pciAddress(), driver));
  }

  private interface OnGpu {
    void run(int gpu);
  }

  private static void everyGpu(OnGpu step) {
    for (int gpu = 0; gpu < GPUS; gpu++) {
      step.run(gpu);
    }
  }

  /// The reasons of the checks that failed.
  private List<String> failures() {
    var reasons = new ArrayList<String>();
    for (JsonNode check : agent.gpuNode().at("/status/validation")) {
      if (check.path("state").asText().equals("Failed")) {
        reasons.add(check.path("reason").asText());
      }
    }
    return reasons;
  }

  private List<String> events() {
    return client.events().v1().events().inNamespace("default").list().getItems().stream()
        .filter(event -> RunningAgent.NODE.equals(event.getRegarding().getName()))
        .map(event -> event.getReason())
        .toList();
  }

  /// The status files that are there.
  private List<String> ready() {
    String[] names = agent.validations().toFile().list((_, name) -> name.endsWith("-ready"));
    return names == null
        ? List.of()
        : Stream.of(names).filter(name -> !name.startsWith(".")).sorted().toList();
  }
}
