package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The bundle on a machine that has a C library, a shell, a driver, and nothing else.
@Tag("cluster")
@EnabledOnOs(OS.LINUX)
class NodeBundleTest {
  // Test budget 120 s: it packs the bundle twice, and starts some twenty JVMs without an AOT cache.

  /// What a path of the machine that built it looks like in a text.
  private static final Pattern OF_THE_BUILDER = Pattern.compile("/home/|/tmp/|/root/");

  @TempDir static Path folder;
  private static NodeBundle bundle;
  private static BareMachine machine;

  @BeforeAll
  static void unpack() throws IOException {
    machine =
        BareMachine.create(
            folder.resolve("machine"),
            SimulatedNodeOptions.of("a100-40g").withGpus(2).withDriver("580.159.04", "13.0"));
    bundle = stage(machine.root().resolve("opt/pitcrew node"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "inventory         | NVIDIA A100-SXM4-40GB",
        "labels --oneshot  | nvidia.com/gpu.count=2",
        "features          | feature.node.kubernetes.io/pci-10de.present=true",
        "cdi               | kind: nvidia.com/gpu",
        "metrics --oneshot | DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"",
        "cuda-check        | works",
        "plugin --help     | Usage: pitcrew plugin"
      })
  void runsWithoutJava(String command, String answer) {
    assumeTrue(machine.isPossible(), "needs root");

    var run = machine.run("/opt/pitcrew node/pitcrew", command.split(" "));

    assertThat(run.output()).contains(answer);
    assertThat(run.status()).as(run.output()).isZero();
  }

  @Test
  void plansPartitions() throws IOException {
    assumeTrue(machine.isPossible(), "needs root");
    Files.writeString(
        machine.root().resolve("etc/mig.yaml"),
        """
        version: v1
        mig-configs:
          halves:
            - devices: all
              mig-enabled: true
              mig-devices: {3g.20gb: 2}
        """);

    var run =
        machine.run(
            "/opt/pitcrew node/pitcrew", "mig", "plan", "-f", "/etc/mig.yaml", "-c", "halves");

    assertThat(run.output()).contains("3g.20gb");
    assertThat(run.status()).as(run.output()).isZero();
  }

  /// The kernel of this machine has no module of the driver.
  @Test
  void validatesAndNamesTheRemedy() {
    assumeTrue(machine.isPossible(), "needs root");

    var run = machine.run("/opt/pitcrew node/pitcrew", "validate", "-c", "driver");

    assertThat(run.output())
        .contains("DeviceNodesMissing: the driver answers")
        .contains("modprobe nvidia-uvm");
    assertThat(run.status()).isOne();
  }

  /// The simulated nvidia-smi has no `-q -x`, so that this part alone is missing.
  @Test
  void checksRealGpus() throws IOException {
    assumeTrue(machine.isPossible(), "needs root");

    var run =
        machine.run(
            "/opt/pitcrew node/real-gpu-check", "--scrape-seconds=1", "--report=/tmp/report");

    var report = Files.readString(machine.root().resolve("tmp/report"));
    assertThat(run.output().lines())
        .contains("real-gpu-check: the report is /tmp/report")
        .filteredOn(line -> line.contains("not complete"))
        .singleElement(STRING)
        .contains("nvidia-smi -q -x");
    assertThat(report)
        .containsPattern("functions: (\\d+) of \\1 are there")
        .contains("structures: 0 calls write more than there is room for")
        .contains("return codes: 0 differ from the simulator's")
        .contains("120 scrapes, 0 failed")
        .containsOnlyOnce("nvidia.com/gpu (device plugin API v1beta1): 2 devices")
        .contains("GPU 1 DCGM_FI_DEV_GPU_TEMP")
        .doesNotContain("12345678-1234");
    assertThat(run.status()).isOne();
  }

  @Test
  void saysThatThereIsNoDriver() throws IOException {
    assumeTrue(machine.isPossible(), "needs root");
    var library = machine.root().resolve("usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1");
    var aside = library.resolveSibling("aside");
    Files.move(library, aside);
    try {
      var run = machine.run("/opt/pitcrew node/real-gpu-check", "--report=/tmp/none");

      assertThat(run.output().strip())
          .isEqualTo(
              "no GPU can be read: libnvidia-ml.so.1: the library cannot be opened; install or load the NVIDIA driver, or say with --driver-root where a driver container has it");
      assertThat(run.status()).isOne();
      assertThat(machine.root().resolve("tmp/none")).doesNotExist();
    } finally {
      Files.move(aside, library);
    }
  }

  @Test
  void isFoundThroughALink() throws IOException {
    assumeTrue(machine.isPossible(), "needs root");
    var link = machine.root().resolve("usr/bin/pitcrew");
    Files.createSymbolicLink(link, Path.of("/opt/pitcrew node/pitcrew"));

    assertThat(machine.run("/usr/bin/pitcrew", "inventory").output()).contains("NVIDIA A100");
  }

  @Test
  void asksNoAgentOfTheMachine() {
    assertThat(text(bundle.tree().at("/etc/programs")))
        .contains("\ninventory ", "\nmig ")
        .doesNotContain("agent.sock");
  }

  @Test
  void isTheSameFromBuildToBuild() throws IOException {
    var other = stage(folder.resolve("elsewhere"));

    assertThat(digest(other)).isEqualTo(digest(bundle));
  }

  @Test
  void holdsNeitherTheSimulatorNorTheOperatorNorPathsOfTheBuilder() throws IOException {
    try (var files = Files.walk(bundle.tree().root())) {
      var all = files.filter(Files::isRegularFile).toList();

      assertThat(all)
          .extracting(file -> file.getFileName().toString())
          .noneMatch(name -> name.startsWith("libnvidia") || name.startsWith("nvml-sim"))
          .noneMatch(name -> name.startsWith("pitcrew-operator"));
      assertThat(all)
          .filteredOn(file -> file.startsWith(bundle.tree().at("/etc")))
          .isNotEmpty()
          .noneMatch(file -> OF_THE_BUILDER.matcher(text(file)).find());
    }
  }

  private static NodeBundle stage(Path root) throws IOException {
    var build = ImageUnderTest.build();
    return NodeBundle.stage(build.repository(), build.linkedRuntime(), root);
  }

  private static String digest(NodeBundle bundle) throws IOException {
    try {
      var digest = MessageDigest.getInstance("SHA-256");
      bundle.layer().writeTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
