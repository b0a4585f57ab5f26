package dev.pitcrew.image;

import static org.assertj.core.api.Assertions.assertThat;
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
  /// What a path of the machine that built it looks like in a text.
  private static final Pattern OF_THE_BUILDER = Pattern.compile("/home/|/tmp/|/root/");

  @TempDir static Path folder;
  private static NodeBundle bundle;
  private static BareMachine machine;

  @BeforeAll
  static void unpack() throws IOException {
    machine =
        BareMachine.create(
            folder.resolve("machine"), SimulatedNodeOptions.of("a100-40g").withGpus(2));
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

  @Test
  void isFoundThroughALink() throws IOException {
    assumeTrue(machine.isPossible(), "needs root");
    var link = machine.root().resolve("usr/bin/pitcrew");
    Files.createSymbolicLink(link, Path.of("/opt/pitcrew node/pitcrew"));

    assertThat(machine.run("/usr/bin/pitcrew", "inventory").output()).contains("NVIDIA A100");
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
