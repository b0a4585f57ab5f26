package dev.pitcrew.agent.driver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.agent.cluster.TestAccount;
import dev.pitcrew.agent.plugin.TestPodResources;
import dev.pitcrew.agent.realnode.KillAgent;
import dev.pitcrew.agent.realnode.KillCheck;
import dev.pitcrew.testbed.controlplane.ControlPlane;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import dev.pitcrew.testbed.junit.TestNamespace;
import dev.pitcrew.testbed.junit.WithControlPlane;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The program is killed after each of its effects; the next one goes on, and nothing is left over.
@WithControlPlane
class DriverKillTest {
  private static final String PLUGIN = "nvidia.com/gpu.deploy.device-plugin";
  private static final String PAUSED = "paused-for-driver-upgrade";
  private static final int KILLED = 137;
  private static final long LIMIT_SECONDS = 120;

  @TempDir private Path folder;

  private enum Point {
    LABELS_ARE_PAUSED("NodeAccount#label->Now[", true, true),
    DIGEST_IS_FORGOTTEN("DriverFiles#forgetDriver", true, true),
    ONE_MODULE_IS_UNLOADED("DriverFiles#unloadOne", true, true),
    ALL_MODULES_ARE_UNLOADED("DriverFiles#unload", true, false),
    WHAT_WAS_LEFT_IS_TIDIED_UP("DriverFiles#tidy", true, false),
    LABELS_ARE_RESUMED("NodeAccount#label@" + PAUSED + "->Now[", false, false);

    private final String place;
    private final boolean isPaused;
    private final boolean isLoaded;

    Point(String place, boolean isPaused, boolean isLoaded) {
      this.place = "dev.pitcrew.agent.driver." + place;
      this.isPaused = isPaused;
      this.isLoaded = isLoaded;
    }
  }

  @Test
  void whereverItIsKilledTheNextOneGoesOn(ControlPlane plane, TestNamespace namespace)
      throws Exception {
    Path killer = KillAgent.jarIn(folder);
    SimulatedNode gpus =
        SimulatedNode.create(
            Files.createDirectory(folder.resolve("node")), SimulatedNodeOptions.of("t4"));
    var host = new FakeHost(gpus.hostRoot());
    var account =
        TestAccount.ofDriverManager(
            plane, namespace.name(), Files.createDirectory(folder.resolve("account")));
    String node = "node-" + namespace.name();
    try (var _ = TestPodResources.start(gpus.hostRoot())) {
      for (Point point : Point.values()) {
        plane
            .client()
            .resource(
                new NodeBuilder()
                    .withNewMetadata()
                    .withName(node)
                    .addToLabels(Map.of(PLUGIN, "true"))
                    .endMetadata()
                    .build())
            .create();
        host.withDriver("1234");
        gpus.simulate("load");

        var killed = run(gpus, account, node, List.of("-javaagent:" + killer + "=" + point.place));

        assertThat(killed.words()).contains(KillCheck.LAST_WORDS + point.place);
        assertThat(killed.status()).isEqualTo(KILLED);
        assertThat(label(plane, node)).as("%s", point).isEqualTo(point.isPaused ? PAUSED : "true");
        assertThat(host.hasDriver()).as("%s", point).isEqualTo(point.isLoaded);
        var next = run(gpus, account, node, List.of());
        assertThat(next.status()).as(next.words()).isZero();
        assertThat(label(plane, node)).as("%s", point).isEqualTo("true");
        assertThat(host.hasDriver()).as("%s", point).isFalse();
        assertThat(host.at("/run/nvidia/nvidia-driver.state")).doesNotExist();
        System.out.printf("killed at %s: the next one ended well%n", point);
        plane.client().nodes().withName(node).delete();
      }
    }
  }

  private record Run(int status, String words) {}

  private static String label(ControlPlane plane, String node) {
    return String.valueOf(
        plane.client().nodes().withName(node).require().getMetadata().getLabels().get(PLUGIN));
  }

  private Run run(SimulatedNode gpus, TestAccount account, String node, List<String> jvmFlags)
      throws Exception {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(jvmFlags);
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path"),
            "dev.pitcrew.agent.command.Main",
            "driver-manager",
            "--node-name=" + node,
            "--operator-namespace=" + account.namespace(),
            "--root=" + gpus.hostRoot(),
            "--host-root=" + gpus.hostRoot(),
            "--module-unloader=" + Path.of("../native/build/nvidia-driver").toRealPath() + " rmmod",
            "--server=" + account.atServer().server(),
            "--service-account=" + account.folder(),
            "uninstall_driver"));
    Path log = folder.resolve("log");
    var builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "DRIVER_CONFIG_DIGEST", "5678",
                "FAKEDRIVER_ROOT", gpus.hostRoot().toString(),
                "NVML_SIM_STATE", gpus.state().toString()));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS))
          .as(Files.readString(log))
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Run(process.exitValue(), Files.readString(log));
  }
}
