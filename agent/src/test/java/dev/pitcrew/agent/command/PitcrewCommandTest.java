package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pitcrew.device.inventory.DriverVersion;
import dev.pitcrew.device.inventory.Inventory;
import dev.pitcrew.device.inventory.Topology;
import dev.pitcrew.testbed.gpu.SimulatedNode;
import dev.pitcrew.testbed.gpu.SimulatedNodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PitcrewCommandTest {
  private static final Inventory NO_GPUS =
      new Inventory(new DriverVersion("550.163.01", 12, 4), List.of(), List.of(), Topology.UNKNOWN);

  @TempDir private Path folder;

  @Test
  void labelsAreWrittenLineByLine() {
    var run = CommandRun.of(node(), "labels", "--oneshot");

    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(run.output().lines())
        .contains(
            "nvidia.com/gpu.product=NVIDIA-A100-SXM4-40GB",
            "nvidia.com/gpu.count=2",
            "nvidia.com/gfd.timestamp=1700000000",
            "nvidia.com/gpu.mode=compute")
        .isSorted();
  }

  @Test
  void labels_areWrittenToAWorldReadableFile() throws IOException {
    Path file = folder.resolve("features.d/gfd");

    var run = CommandRun.of(node(), "labels", "-oneshot", "-output", file.toString());

    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(run.output()).isEmpty();
    assertThat(Files.readString(file)).contains("nvidia.com/gpu.count=2\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-r--r--");
    try (var beside = Files.list(folder.resolve("features.d"))) {
      assertThat(beside).containsExactly(file);
    }
  }

  @Test
  void oneLostGpuTakesNoLabelsAlong() {
    SimulatedNode node = node();
    node.lose(1);

    var run = CommandRun.of(node, "labels", "--oneshot");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).contains("nvidia.com/gpu.count=1\n");
    assertThat(run.errors()).startsWith("warning: GPU 1 cannot be read (").hasLineCount(1);
  }

  @Test
  void inventory_listsEveryGpu() {
    var text = CommandRun.of(node(), "inventory", "--oneshot");
    var json = CommandRun.of(node(), "inventory", "-o", "json");

    assertThat(text.output().lines())
        .containsExactly(
            "driver 550.163.01, CUDA 12.4",
            "GPU 0  GPU-12345678-1234-1234-1234-123456780000  NVIDIA A100-SXM4-40GB  40960 MiB "
                + " 0000:07:00.0",
            "GPU 1  GPU-12345678-1234-1234-1234-123456780001  NVIDIA A100-SXM4-40GB  40960 MiB "
                + " 0000:0f:00.0");
    assertThat(json.output()).contains("\"uuid\" : \"GPU-12345678-1234-1234-1234-123456780001\"");
  }

  @Test
  void libraryMayBeNamed() {
    SimulatedNode node = node();
    Path library = node.state().resolveSibling("libnvidia-ml.so.1");

    var run =
        CommandRun.of(
            new NvmlReader(),
            Map.of(),
            "inventory",
            "--host-root=" + node.hostRoot(),
            "--nvml=" + library);

    assertThat(run.exitCode()).as(run.errors()).isZero();
    assertThat(run.output()).contains("GPU 1");
  }

  @Test
  void featuresAreThoseOfTheHost() {
    var run = CommandRun.of(NO_DRIVER, Map.of(), "features", "--host-root=" + node().hostRoot());

    assertThat(run.output().lines())
        .contains(
            "feature.node.kubernetes.io/pci-10de.present=true",
            "feature.node.kubernetes.io/pci-0302_10de.present=true",
            "feature.node.kubernetes.io/kernel-version.full=5.15.0-119-generic",
            "feature.node.kubernetes.io/system-os_release.VERSION_ID=22.04");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "labels --oneshot --mig-strategy=both | --mig-strategy is 'both': give one of none, single,"
            + " mixed",
        "labels --oneshot=maybe | --oneshot is 'maybe': give true or false",
        "labels --oneshot -o yaml | -o is 'yaml': give one of json, text (a file is named by"
            + " --output)",
        "labels --oneshot --output=/a --output-file=/b | --output-file and --output: these are one"
            + " flag; give only one of them",
        "inventory -o xml | -o is 'xml': give one of json, text (a file is named by --output)",
      })
  void invalidValueIsOneLineThatNamesIt(String line, String problem) {
    var run = CommandRun.of(NO_DRIVER, Map.of(), line.split(" "));

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).isEqualTo(problem + System.lineSeparator());
    assertThat(run.output()).isEmpty();
  }

  @Test
  void variableIsNamedWhereItIsWrong() {
    var run = CommandRun.of(NO_DRIVER, Map.of("GFD_MIG_STRATEGY", "x"), "labels", "--oneshot");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).startsWith("GFD_MIG_STRATEGY is 'x': give one of none, single, mixed");
  }

  @Test
  void fileThatIsNotThereIsNamed() {
    var run = CommandRun.of(NO_DRIVER, Map.of("CONFIG_FILE", "/nowhere"), "labels", "--oneshot");

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.errors()).startsWith("--config-file is '/nowhere': it cannot be read (");
  }

  @Test
  void withoutADriver_labelsFail_unlessConfiguredOtherwise() {
    String host = "--host-root=" + folder;

    var fails = CommandRun.of(NO_DRIVER, Map.of(), "labels", "--oneshot", host);
    var goesOn =
        CommandRun.of(
            NO_DRIVER, Map.of("GFD_FAIL_ON_INIT_ERROR", "false"), "labels", "--oneshot", host);

    assertThat(fails.exitCode()).isEqualTo(1);
    assertThat(fails.errors())
        .isEqualToIgnoringNewLines(
            "no GPU can be read: nvmlInit_v2: the driver is not loaded; check the driver,"
                + " --driver-root and --nvml");
    assertThat(goesOn.exitCode()).isZero();
    assertThat(goesOn.output().lines())
        .containsExactly("nvidia.com/gfd.timestamp=1700000000", "nvidia.com/vgpu.present=false");
  }

  @Test
  void labelsAreRepeatedUntilTheSignal() {
    var stop = new StopSignal();
    var rounds = new int[1];
    NodeReader reader =
        _ -> {
          rounds[0]++;
          if (rounds[0] == 3) {
            stop.raise();
          }
          return new NodeReader.Reading.Read(NO_GPUS);
        };
    var surroundings = new Surroundings(reader, Map.of(), InstantSource.system(), stop);

    int exitCode =
        PitcrewCommand.execute(
            surroundings,
            "labels",
            "--sleep-interval=1ms",
            "--output=" + folder.resolve("labels"),
            "--host-root=" + folder);

    assertThat(exitCode).isZero();
    assertThat(rounds[0]).isEqualTo(3);
  }

  @Test
  void flagThatIsNotKnownIsOneLineAndWrongUsage() {
    var run = CommandRun.of(NO_DRIVER, Map.of(), "labels", "--mig");

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.errors())
        .isEqualToIgnoringNewLines("Unknown option: '--mig'; see pitcrew labels --help");
  }

  @Test
  void helpExplainsEveryFlagWithItsVariables() {
    var run = CommandRun.of(NO_DRIVER, Map.of(), "labels", "--help");

    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).contains("--mig-strategy", "GFD_MIG_STRATEGY, MIG_STRATEGY");
  }

  private static final NodeReader NO_DRIVER =
      _ -> new NodeReader.Reading.NoDriver("nvmlInit_v2: the driver is not loaded");

  private SimulatedNode node() {
    return SimulatedNode.create(folder.resolve("node"), SimulatedNodeOptions.of("a100-40g"));
  }
}
