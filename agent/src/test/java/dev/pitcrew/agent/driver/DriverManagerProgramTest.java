package dev.pitcrew.agent.driver;

import static dev.pitcrew.agent.driver.PreparationBed.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The program as a driver's pod runs it: configured by variables, it reports in its termination
/// message.
@WithControlPlane
class DriverManagerProgramTest {
  @TempDir private Path folder;
  private PreparationBed bed;

  @BeforeEach
  void prepare(ControlPlane plane, TestNamespace namespace) throws IOException {
    bed = PreparationBed.create(plane, namespace.name(), folder);
    Files.createFile(lastOutput());
  }

  @AfterEach
  void remove() {
    bed.close();
  }

  @Test
  void preflightCheckLooksAndChangesNothing() throws Exception {
    List<ManagedFieldsEntry> before = bed.written();

    assertThat(end(start("preflight_check", bed.node(), Map.of()))).isZero();
    assertThat(log()).contains("no driver is loaded");
    bed.host().withDriver("1234");
    assertThat(end(start("preflight_check", bed.node(), Map.of("DRIVER_CONFIG_DIGEST", "5678"))))
        .isZero();
    assertThat(log())
        .contains("another driver is loaded and would have to go: [nvidia_drm, nvidia_modeset");
    assertThat(end(start("preflight_check", bed.node(), Map.of("DRIVER_CONFIG_DIGEST", "1234"))))
        .isZero();
    assertThat(log()).contains("the driver that is loaded is the one that is wanted");
    assertThat(end(start("preflight_check", "missing", Map.of()))).isOne();
    assertThat(log()).contains("nodes/missing was not read: 404");

    assertThat(bed.written()).isEqualTo(before);
    assertThat(bed.host().unloaded()).isEmpty();
  }

  @Test
  void networkDriversOfTheHostComeFirst() throws Exception {
    card();
    bed.host().text("/proc/modules", "");
    Process process = start("uninstall_driver", bed.node(), rdma("true"));
    try {
      await().atMost(LIMIT).until(() -> log().contains("the host to load mlx5_core"));
      await().atMost(LIMIT).until(() -> bed.said().contains("the host to load mlx5_core"));
      bed.host().text("/proc/modules", "mlx5_core 1000 0 - Live 0x0\n");
      assertThat(end(process)).isZero();
    } finally {
      process.destroyForcibly();
    }
    assertThat(bed.said()).isEmpty();
    assertThat(lastOutput()).isEmptyFile();
  }

  @Test
  void networkDriversOfAContainerComeFirst() throws Exception {
    card();
    Process process = start("uninstall_driver", bed.node(), rdma("false"));
    try {
      await().atMost(LIMIT).until(() -> log().contains("/run/mellanox/drivers/.driver-ready"));
      bed.host().text("/run/mellanox/drivers/.driver-ready", "");
      assertThat(end(process)).isZero();
    } finally {
      process.destroyForcibly();
    }
  }

  @Test
  void whyItEndedIsItsLastWord() throws Exception {
    bed.host().withDriver("1234");
    bed.hold("train", "nvidia.com/gpu");

    var variables = Map.of("DRIVER_CONFIG_DIGEST", "5678", "DRAIN_TIMEOUT_SECONDS", "1s");
    assertThat(end(start("uninstall_driver", bed.node(), variables))).isOne();

    assertThat(lastOutput()).content().startsWith("waited too long for pod team/train holds a GPU");
  }

  @Test
  void theHostIsWhereItIsMountedAndNotWhereItLiesOnTheHost() throws Exception {
    bed.host().program("nvidia-smi", "echo 580.95.05");
    // In the place of the gate, which changes the root and runs what follows.
    bed.host().program("pitcrew", "exec \"$2/usr/bin/nvidia-smi\"");
    String root = bed.host().at("/").toString();
    String programs = "%s:%s".formatted(bed.host().at("/usr/bin"), System.getenv("PATH"));

    assertThat(end(start("preflight_check", bed.node(), Map.of("PATH", programs)))).isZero();
    assertThat(log()).contains("the host has driver 580.95.05");

    List<String> asInAPod = List.of("preflight_check");
    var variables = Map.of("PATH", programs, "HOST_ROOT", root);
    assertThat(end(start(asInAPod, bed.node(), variables))).isZero();
    assertThat(log()).contains("no driver is loaded");
  }

  private static Map<String, String> rdma(String isOnHost) {
    return Map.of("GPU_DIRECT_RDMA_ENABLED", "true", "USE_HOST_MOFED", isOnHost);
  }

  private void card() {
    String folderOfCard = "/sys/bus/pci/devices/0000:05:00.0/";
    bed.host().text(folderOfCard + "vendor", "0x15b3\n");
    bed.host().text(folderOfCard + "device", "0x1021\n");
    bed.host().text(folderOfCard + "class", "0x020700\n");
  }

  private static int end(Process process) throws InterruptedException {
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private Process start(String what, String node, Map<String, String> variables)
      throws IOException {
    return start(List.of("--host-root=" + bed.host().at("/"), what), node, variables);
  }

  private Process start(List<String> arguments, String node, Map<String, String> variables)
      throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            "dev.pitcrew.agent.command.Main",
            "driver-manager",
            "--root=" + bed.host().at("/"),
            "--module-unloader=false",
            "--termination-log=" + lastOutput(),
            "--server=" + bed.account().atServer().server(),
            "--service-account=" + bed.account().folder()));
    command.addAll(arguments);
    var builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().putAll(variables);
    builder.environment().put("NODE_NAME", node);
    builder.environment().put("OPERATOR_NAMESPACE", bed.account().namespace());
    return builder.start();
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("log"));
  }

  private Path lastOutput() {
    return folder.resolve("last-words");
  }
}
