package dev.pitcrew.agent.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// On a node without GPUs; `VfioDevicesTest` has some.
class VfioManageCommandTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String SWITCH = "0000:07:00.0";

  @TempDir private Path root;
  private final StopSignal stop = new StopSignal();
  private final StringWriter output = new StringWriter();

  @Test
  void boundDevice_staysBoundUntilTheProgramIsStopped() throws Exception {
    try (var background = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Integer> status = background.submit(() -> run("bind", "--all", "--until-stopped"));
      await().atMost(LIMIT).until(() -> output.toString().contains("bind: []"));
      assertThat(status.isDone()).isFalse();

      stop.raise();

      assertThat(status.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isZero();
    }
    assertThat(output.toString().lines()).containsExactly("bind: []", "unbind: []");
  }

  @Test
  void commandThatCannotBind_endsAtOnce() {
    assertThat(run("bind", "--device-id=0000:0a:00.0", "--until-stopped")).isOne();
    assertThat(output.toString())
        .isEqualToIgnoringNewLines("bind of 0000:0a:00.0: there is no such PCI device");
  }

  @ParameterizedTest
  @ValueSource(strings = {"=1", "=t", "=True", ""})
  void switchesAreBoundWhereGoReadsTrue(String value) throws IOException {
    addSwitch();

    assertThat(run("bind", "--bind-nvswitches" + value, "--all")).isOne();
    assertThat(output.toString()).contains("bind of " + SWITCH);
  }

  @ParameterizedTest
  @ValueSource(strings = {"=0", "=f", "=False", "="})
  void switchesAreLeftWhereGoReadsFalse(String value) throws IOException {
    addSwitch();

    assertThat(run("bind", "--all", "--bind-nvswitches" + value)).isZero();
    assertThat(output.toString()).isEqualToIgnoringNewLines("bind: []");
  }

  @Test
  void boundSwitch_isUnboundByUnbindOfAllDevices() throws IOException {
    addSwitch("vfio-pci");
    assertThat(run("unbind", "--all")).isZero();
    assertThat(output.toString()).isEqualToIgnoringNewLines("unbind: [" + SWITCH + "]");
    assertThat(root.resolve("sys/bus/pci/drivers/vfio-pci/unbind")).hasContent(SWITCH);
  }

  @Test
  void aSwitchThatAVirtualMachineHasIsLeftToIt() throws IOException {
    addSwitch("vfio-pci");
    Files.createSymbolicLink(
        root.resolve("sys/bus/pci/devices/" + SWITCH + "/iommu_group"), Path.of("../groups/12"));
    Path files = Files.createDirectories(root.resolve("proc/4711/fd"));
    Files.createSymbolicLink(files.resolve("9"), Path.of("/dev/vfio/12"));

    assertThat(run("unbind", "--all")).isOne();

    assertThat(output.toString())
        .startsWith("unbind of " + SWITCH + ": /dev/vfio/12 is open by process 4711 (?)");
    assertThat(root.resolve("sys/bus/pci/drivers/vfio-pci/unbind")).isEmptyFile();
  }

  @Test
  void aSwitchThatContainersUseIsLeftToThem() throws IOException {
    addSwitch("nvidia-nvswitch");
    assertThat(run("unbind", "--all")).isZero();
    assertThat(output.toString()).isEqualToIgnoringNewLines("unbind: []");
  }

  @Test
  void valueThatIsNoBoolean_isRefused_andNamed() {
    assertThat(run("bind", "--all", "--bind-nvswitches=yes")).isEqualTo(2);
    assertThat(output.toString())
        .startsWith("--bind-nvswitches (BIND_NVSWITCHES) is 'yes': give true or false");
  }

  /// It cannot be bound: there is no `modprobe`.
  private void addSwitch() throws IOException {
    Path device = Files.createDirectories(root.resolve("sys/bus/pci/devices/" + SWITCH));
    Files.writeString(device.resolve("vendor"), "0x10de\n");
    Files.writeString(device.resolve("device"), "0x22a3\n");
    Files.writeString(device.resolve("class"), "0x068000\n");
  }

  private void addSwitch(String driver) throws IOException {
    addSwitch();
    Path device = root.resolve("sys/bus/pci/devices/" + SWITCH);
    Files.createFile(device.resolve("driver_override"));
    Path folder = Files.createDirectories(root.resolve("sys/bus/pci/drivers/" + driver));
    Files.createFile(folder.resolve("unbind"));
    Files.createSymbolicLink(device.resolve("driver"), Path.of("../../drivers/" + driver));
  }

  private int run(String... arguments) {
    var surroundings = new Surroundings(new NvmlReader(), Map.of(), InstantSource.system(), stop);
    var words = new PrintWriter(output, true);
    return PitcrewCommand.create(surroundings)
        .setOut(words)
        .setErr(words)
        .execute(
            Stream.concat(
                    Stream.of("vfio-manage", "--root=" + root, "--host-root=" + root),
                    Stream.of(arguments))
                .toArray(String[]::new));
  }
}
