package dev.pitcrew.agent.vfio;

import static dev.pitcrew.agent.vfio.FakePci.GPU;
import static dev.pitcrew.agent.vfio.FakePci.SOUND;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VfioDevicesTest {
  private static final String SECOND = "0000:0b:00.0";
  private static final String SWITCH = "0000:0c:00.0";

  @TempDir private Path root;
  private FakePci pci = new FakePci(Path.of("none"));

  @BeforeEach
  void prepare() throws IOException {
    pci = FakePci.create(root);
    pci.device(GPU, "0x030200", "pci:v000010DEd00002330sv000010DEsd000016C1bc03sc02i00");
    pci.device(SECOND, "0x030200", "pci:v000010DEd00002342sv000010DEsd000016C1bc03sc02i00");
    pci.device(SWITCH, "0x068000", "pci:v000010DEd000022A3sv000010DEsd000016C1bc06sc80i00");
  }

  @Test
  void aGpuGoesFromOneDriverToTheOther() throws Exception {
    pci.bindTo(GPU, "nouveau");

    assertThat(pci.devices().bind(List.of(GPU))).isEmpty();

    assertThat(pci.driverOf(GPU)).contains("vfio-pci");
    assertThat(pci.read(FakePci.DEVICES + GPU + "/driver_override")).isEqualTo("vfio-pci\n");
    assertThat(pci.devices().bind(List.of(GPU))).as("again").isEmpty();
    assertThat(pci.devices().takenAway()).containsExactly(GPU);

    assertThat(pci.devices().unbind(List.of(GPU))).isEmpty();
    assertThat(pci.driverOf(GPU)).isEmpty();
    assertThat(pci.read(FakePci.DEVICES + GPU + "/driver_override")).isEqualTo("(null)\n");
    assertThat(pci.devices().unbind(List.of(GPU))).as("again").isEmpty();
    assertThat(pci.devices().takenAway()).isEmpty();
  }

  @Test
  void anAcceleratorIsLeftToItsDriver() throws Exception {
    pci.device("0000:0d:00.0", "0x120000", "pci:v000010DEd00002330sv000010DEsd000016C1bc12sc00i00");

    assertThat(pci.devices().all(true)).containsExactly(GPU, SECOND, SWITCH);
  }

  @Test
  void deviceThatCannotBeBound_isReported_andTheOthersAreBound() throws Exception {
    var failures = pci.devices().bind(pci.devices().all(false));

    assertThat(failures)
        .singleElement()
        .hasToString(SECOND + ": the module nvgrace_gpu_vfio_pci brought no driver of that name");
    assertThat(pci.driverOf(GPU)).contains("vfio-pci");
  }

  @Test
  void aDriverMayBeWrittenWithTheOtherDash() throws Exception {
    pci.driver("nvgrace-gpu-vfio-pci");

    assertThat(pci.devices().bind(List.of(SECOND))).isEmpty();
    assertThat(pci.driverOf(SECOND)).contains("nvgrace-gpu-vfio-pci");
  }

  @Test
  void aModuleThatDoesNotLoadIsTheReason() throws Exception {
    pci.modprobe("echo modprobe: FATAL: not found >&2; exit 1");

    assertThat(pci.devices().bind(List.of(GPU)))
        .singleElement()
        .hasToString(GPU + ": modprobe vfio-pci: modprobe: FATAL: not found");
    assertThat(pci.driverOf(GPU)).isEmpty();
  }

  @Test
  void aDisplaysSoundGoesWithIt() throws Exception {
    pci.display();

    assertThat(pci.devices().bind(List.of(GPU))).isEmpty();
    assertThat(pci.driverOf(SOUND)).contains("vfio-pci");
    assertThat(pci.devices().unbind(List.of(GPU))).isEmpty();
    assertThat(pci.driverOf(SOUND)).isEmpty();
  }

  @Test
  void switchesAreAmongThemOnlyWhereAsked() {
    assertThat(pci.devices().all(false)).containsExactly(GPU, SECOND);
    assertThat(pci.devices().all(true)).containsExactly(GPU, SECOND, SWITCH);
  }

  @Test
  void virtualFunction_isIncludedOnlyByItsAddress() throws Exception {
    Files.createDirectories(root.resolve("." + FakePci.DEVICES + SECOND + "/physfn"));

    assertThat(pci.devices().all(true)).containsExactly(GPU, SWITCH);
    pci.bindTo(SECOND, "vfio-pci");
    assertThat(pci.devices().takenAway()).isEmpty();
    assertThat(pci.devices().unbind(List.of(SECOND))).isEmpty();
    assertThat(pci.driverOf(SECOND)).isEmpty();
  }

  @Test
  void switchOfVirtualMachines_isUnbound_andOneOfOursIsLeft() throws Exception {
    pci.bindTo(SWITCH, "nvidia-nvswitch");
    assertThat(pci.devices().takenAway()).isEmpty();

    assertThat(pci.devices().bind(List.of(SWITCH))).isEmpty();
    assertThat(pci.devices().takenAway()).containsExactly(SWITCH);
    assertThat(pci.devices().unbind(pci.devices().takenAway())).isEmpty();
    assertThat(pci.driverOf(SWITCH)).isEmpty();
  }

  @Test
  void aFrameBufferHasTakenAGpuAway() throws Exception {
    pci.bindTo(GPU, "nvidiafb");
    assertThat(pci.devices().takenAway()).contains(GPU);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/dev/vfio/12",
        "/dev/vfio/noiommu-12",
        "/dev/vfio/devices/vfio3",
        "/dev/vfio/12 (deleted)",
        "/run/machine/dev/vfio/12"
      })
  void deviceOfAVirtualMachine_staysBoundUntilTheMachineEnds(String file) throws Exception {
    pci.group(GPU, 12);
    pci.character(GPU, "vfio3");
    pci.group(SWITCH, 13);
    assertThat(pci.devices().bind(List.of(GPU, SWITCH))).isEmpty();
    pci.open(file);

    VfioDevices devices = pci.devices();
    assertThat(devices.inMachines(devices.takenAway()))
        .singleElement()
        .satisfies(held -> assertThat(held.address()).isEqualTo(GPU));
    assertThat(devices.unbind(devices.takenAway()))
        .singleElement()
        .satisfies(failure ->
            assertThat(failure.toString())
                .startsWith(GPU + ": /dev/vfio/")
                .contains("is open by process 4711 (qemu-kvm)", "shut down the virtual machine"));
    assertThat(pci.driverOf(GPU)).contains("vfio-pci");
    assertThat(pci.read(FakePci.DEVICES + GPU + "/driver_override")).isEqualTo("vfio-pci\n");
    assertThat(pci.driverOf(SWITCH)).isEmpty();
    assertThat(devices.bind(List.of(GPU))).as("as it is bound already").isEmpty();

    pci.close();
    assertThat(devices.inMachines(devices.takenAway())).isEmpty();
    assertThat(devices.unbind(devices.takenAway())).isEmpty();
    assertThat(pci.driverOf(GPU)).isEmpty();
  }

  @Test
  void aSwitchThatAVirtualMachineHasStaysWithIt() throws Exception {
    pci.group(SWITCH, 13);
    assertThat(pci.devices().bind(List.of(SWITCH))).isEmpty();
    pci.open("/dev/vfio/13");

    assertThat(pci.devices().unbind(pci.devices().takenAway()))
        .singleElement()
        .asString()
        .startsWith(SWITCH + ": /dev/vfio/13 is open");
    assertThat(pci.driverOf(SWITCH)).contains("vfio-pci");
  }

  @Test
  void aDisplayStaysWithTheSoundThatAVirtualMachineHas() throws Exception {
    pci.display();
    pci.group(SOUND, 14);
    assertThat(pci.devices().bind(List.of(GPU))).isEmpty();
    pci.open("/dev/vfio/14");

    assertThat(pci.devices().unbind(List.of(GPU))).hasSize(1);
    assertThat(pci.driverOf(SOUND)).contains("vfio-pci");
    assertThat(pci.driverOf(GPU)).contains("vfio-pci");
  }

  @Test
  void aDeviceOfAVirtualMachineDoesNotChangeItsDriver() throws Exception {
    pci.driver("nvgrace-gpu-vfio-pci");
    pci.group(SECOND, 12);
    pci.bindTo(SECOND, "vfio-pci");
    pci.open("/dev/vfio/12");

    assertThat(pci.devices().bind(List.of(SECOND))).hasSize(1);
    assertThat(pci.driverOf(SECOND)).contains("vfio-pci");

    pci.close();
    assertThat(pci.devices().bind(List.of(SECOND))).isEmpty();
    assertThat(pci.driverOf(SECOND)).contains("nvgrace-gpu-vfio-pci");
  }

  @Test
  void processWithOnlyTheVfioContainerOpen_hasNoDevice() throws Exception {
    pci.group(GPU, 12);
    assertThat(pci.devices().bind(List.of(GPU))).isEmpty();
    pci.open("/dev/vfio/vfio");

    assertThat(pci.devices().unbind(List.of(GPU))).isEmpty();
  }

  @Test
  void missingDevice_isReported() throws Exception {
    assertThat(pci.devices().unbind(List.of("0000:ff:00.0", "../../etc")))
        .extracting(Object::toString)
        .containsExactly(
            "0000:ff:00.0: there is no such PCI device", "../../etc: there is no such PCI device");
  }
}
